package analyze

import (
	"errors"
	"os"
	"runtime/debug"
	"slices"
	"sync"
	"unsafe"
)

// arena is room for the facts of cases. Of few they are in memory. Of more they stand in a temporary file that is mapped
// into memory: what a walk has left behind is let go of, and comes back by itself where it is looked at again.
//
// Where such a file cannot be made they all are in memory.
type arena struct {
	few   int     // so many are in memory
	given int     // so many were given out
	free  []facts // room that was not

	file   *os.File
	space  []byte // the address space for the file; nil: all are in memory
	size   int    // of the file
	done   bool   // the file does not grow any more
	err    error  // why, where that is worth a word
	before bool   // what debug.SetPanicOnFault was before

	near  map[uintptr]bool // the blocks of space that were looked at since letGo
	last  uintptr          // … the last of them, from 1
	apart int              // times that something else was looked at
}

const (
	arenaStep  = 64       // facts in memory for which room is made at a time: one by one they would be rounded up to what memory comes in
	arenaFirst = 64 << 10 // bytes by which the file grows at first; later by as many as it has, up to arenaChunk
	arenaChunk = 8 << 20
	arenaBlock = 64 << 10                               // bytes that the system brings back at a time
	arenaNear  = 128                                    // blocks that may be there at a time
	arenaSpace = 256 << 20 << (6 * (^uintptr(0) >> 63)) // 16 GiB, or 256 MiB where addresses have 32 bits
)

// room returns empty facts.
func (r *arena) room() *facts {
	if len(r.free) == 0 {
		r.grow()
	}
	f := &r.free[0]
	r.free = r.free[1:]
	r.given++
	r.pass(f)
	return f
}

func (r *arena) grow() {
	n := arenaStep
	switch left := r.few - r.given; {
	case left > 0:
		n = min(n, left)
	case r.extend():
		return
	}
	r.free = make([]facts, n)
}

// extend makes the file larger and reports whether it could.
func (r *arena) extend() bool {
	if r.done {
		return false
	}
	if r.space == nil {
		r.open()
	}
	n := min(max(r.size, arenaFirst), arenaChunk)
	if r.err == nil && r.size+n <= len(r.space) {
		r.err = reserve(r.file, r.size, n)
	}
	if r.done = r.err != nil || r.size+n > len(r.space); r.done {
		if errors.Is(r.err, errors.ErrUnsupported) {
			r.err = nil // this system, or this file system, has no such thing
		}
		return false
	}
	more := r.space[r.size : r.size+n]
	r.size += n
	r.free = unsafe.Slice((*facts)(unsafe.Pointer(&more[0])), n/int(unsafe.Sizeof(facts{})))
	return true
}

// open makes the file and takes addresses for as large as it may become.
func (r *arena) open() {
	if !canMap {
		return
	}
	if r.file, r.err = unnamed(); r.err != nil {
		return
	}
	if r.space, r.err = mapFile(r.file, arenaSpace); r.err == nil {
		r.near = map[uintptr]bool{}
		mapped.add(r.space)
		r.before = debug.SetPanicOnFault(true) // what cannot be read back is an error, see Recover
	}
}

// guard makes what cannot be read back an error in this goroutine too, see Recover.
func (r *arena) guard() {
	if r.space != nil {
		debug.SetPanicOnFault(true)
	}
}

// pass tells that f is looked at. Of what was before, little stays in memory. A nil f is anywhere.
func (r *arena) pass(f *facts) {
	if r.size <= arenaNear*arenaBlock {
		return // all of it may be there
	}
	if f == nil {
		r.apart++
	} else if at := (uintptr(unsafe.Pointer(f))-uintptr(unsafe.Pointer(&r.space[0])))/arenaBlock + 1; at != r.last && at <= uintptr(r.size/arenaBlock) {
		r.last, r.near[at] = at, true
	}
	if len(r.near)+r.apart > arenaNear {
		r.letGo()
	}
}

// letGo tells the system that nothing of the file is in use.
func (r *arena) letGo() {
	leave(r.space[:r.size])
	clear(r.near)
	r.apart, r.last = 0, 0
}

// close gives the room back: no facts may be looked at any more.
func (r *arena) close() {
	r.free = nil
	if r.space != nil {
		debug.SetPanicOnFault(r.before)
		unmap(r.space)
		r.space, r.size, r.done = nil, 0, true
	}
	if r.file != nil {
		r.file.Close()
	}
}

// mapped are the places in memory where files were mapped, by any Analyzer.
var mapped places

type places struct {
	mu   sync.Mutex
	from []uintptr
}

func (p *places) add(space []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.from = append(p.from, uintptr(unsafe.Pointer(&space[0])))
}

// has reports whether a file was mapped where that address is. One that is closed counts: it may be what failed before.
func (p *places) has(address uintptr) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.from, func(from uintptr) bool { return address >= from && address-from < arenaSpace })
}
