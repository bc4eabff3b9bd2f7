package proxy

import (
	"sync"
	"sync/atomic"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
)

// How often the kernel is asked for what a write could not tell at once.
const (
	askFirst = 2 * time.Millisecond
	askMost  = time.Second
)

// acker tells how far the peer of a leg has got the other side's bytes.
type acker struct {
	leg   *leg
	tap   *feed.Tap
	of    capture.Side
	clock func() capture.Instant
	gone  *atomic.Bool // the peer has closed: what it acknowledges proves nothing
	// exact: the peer opened the connection in the clear, and each byte written to it is one of the recording, so that the
	// kernel's count of what it has acknowledged can be told as it is.
	exact bool

	writing atomic.Bool // a write is under way

	mu      sync.Mutex
	written int64 // offset
	told    int64 // offset
	asking  bool
	over    bool
	wait    time.Duration
	timer   *time.Timer
}

// write writes p, with which all bytes before offset off are written.
func (a *acker) write(p []byte, off int64) error {
	a.writing.Store(true)
	defer a.writing.Store(false)
	if _, err := a.leg.Write(p); err != nil {
		return err
	}
	a.wrote(off)
	return nil
}

func (a *acker) wrote(off int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.written = off
	a.wait = askFirst
	if !a.asking {
		a.ask()
	}
}

// again is what the timer calls.
func (a *acker) again() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.asking = false
	a.ask()
}

// last asks once more, before the peer's end is told. The peer may have answered a write, and closed, before the goroutine
// that wrote got to say so.
func (a *acker) last() {
	for n := 0; n < 50 && a.writing.Load(); n++ {
		time.Sleep(100 * time.Microsecond)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sample()
}

// stop ends the asking.
func (a *acker) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over, a.asking = true, true
	if a.timer != nil {
		a.timer.Stop()
	}
}

// ask samples, and sees to it that it is asked again while something is missing. The caller holds the lock.
func (a *acker) ask() {
	if a.sample() || a.gone.Load() {
		return
	}
	a.asking = true
	if a.timer == nil {
		a.timer = time.AfterFunc(a.wait, a.again)
	} else {
		a.timer.Reset(a.wait)
	}
	a.wait = min(2*a.wait, askMost)
}

// sample tells what is new; true: all is told. The caller holds the lock.
func (a *acker) sample() bool {
	if a.over {
		return true
	}
	off := a.told
	switch {
	case !canAsk:
		off = a.written
	case a.exact:
		off = max(off, a.leg.taken())
	case a.leg.unacked() == 0:
		off = a.written
	}
	if off > a.told {
		now := a.clock()
		a.told = off
		a.tap.Ack(a.of, off, a.gone.Load(), capture.Stamp{Seen: now, At: now})
	}
	return a.told >= a.written
}
