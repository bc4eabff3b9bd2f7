package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync/atomic"
)

// The heap may grow to a floor whatever is alive in it, and beyond that by heapGrowth percent of what is alive: most
// captures then cost few collections, and memory matters more than the last tenth of speed for those that are large.
// What works on a recording allocates less, and what runs for weeks beside other programs should keep less: their floors are lower.
const (
	heapFloor  = 48 << 20
	storeFloor = 40 << 20
	lowFloor   = 8 << 20
	heapGrowth = 33
	heapStart  = 4 << 20  // what the runtime takes for alive before the first collection, and at least after it
	hugePart   = 64 << 20 // the part of the heap that most captures need
	limitFloor = 96 << 20 // of all memory of the runtime, see limit
	limitSlack = 8 << 20
)

var paceFloor atomic.Uint64

// stayLow lowers the floor from the next collection on, for a command that runs as long as its user likes.
func stayLow() {
	paceFloor.Store(lowFloor)
	runtime.GC()
}

// expectLess lowers the floor at once, for a command that writes or reads a recording.
func expectLess() {
	if paceFloor.Load() > storeFloor {
		paceFloor.Store(storeFloor)
		setPace()
	}
}

// tuneMemory sets the collector's pace, anew after each collection. A pace in the environment (GOGC) goes before.
func tuneMemory() {
	if os.Getenv("GOGC") != "" {
		return
	}
	paceFloor.Store(heapFloor)
	setPace()
	var collected func(*mark)
	collected = func(*mark) {
		setPace()
		runtime.SetFinalizer(new(mark), collected)
	}
	runtime.SetFinalizer(new(mark), collected)
}

// setPace sets the pace for what was alive at the last collection.
func setPace() {
	m := []metrics.Sample{{Name: "/gc/heap/live:bytes"}, {Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/free:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(m)
	live := m[0].Value.Uint64()
	percent := pace(live)
	debug.SetGCPercent(percent)
	if os.Getenv("GOMEMLIMIT") == "" {
		held := m[1].Value.Uint64() - m[2].Value.Uint64() - m[3].Value.Uint64()
		debug.SetMemoryLimit(limit(live, held, percent))
	}
}

// limit returns what the runtime should take from the system at most, where so many bytes are alive and so many cannot be
// given back: as much as the heap may grow to. What lies idle beyond that it gives back rather than keep it for later.
func limit(live, held uint64, percent int) int64 {
	return int64(max(limitFloor, held+live*uint64(percent)/100+limitSlack))
}

// mark is an object that nobody holds, so that the next collection finds it.
type mark [64]byte

// pace returns the growth, in percent, that may follow a collection with so many bytes alive.
func pace(live uint64) int {
	low := paceFloor.Load()
	if live = max(live, heapStart); live >= low {
		return heapGrowth
	}
	return max(heapGrowth, int((low-live)*100/live))
}
