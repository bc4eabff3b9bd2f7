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
	limitFloor = 96 << 20 // all memory of the runtime; see limit
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
	live := [1]metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live[:])
	debug.SetGCPercent(pace(live[0].Value.Uint64()))
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(limit(live[0].Value.Uint64()))
	}
}

// limit returns what the runtime should keep from the system where so many bytes are alive: beyond it, it gives back what
// lies idle rather than keep it for later.
func limit(live uint64) int64 { return int64(max(limitFloor, live+live/4+16<<20)) }

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
