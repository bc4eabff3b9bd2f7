package feed

import (
	"bytes"
	"sync"
	"time"

	"mcptrace/capture"
)

// DefaultLimit is how many bytes wait in a feed before it loses some. It bridges a second of a slow disk at 250 Mbit/s.
const DefaultLimit = 32 << 20

// overhead is what an entry of the queue costs beside its bytes.
const overhead = 160

// gather is how long the recorder waits for company once it is woken: many small batches would take the processor from
// those who forward. A queue that is a quarter full does not wait.
const gather = 3 * time.Millisecond

// Feed is a bounded queue from any number of taps to one recorder. Its methods may be called from any goroutine.
type Feed struct {
	limit int64
	ready chan struct{} // something waits

	mu     sync.Mutex
	queue  []entry
	size   int64 // of what waits and of what the recorder has in hand
	closed bool
	lost   Lost
}

// Lost is what a feed had no room for.
type Lost struct {
	Bytes       int64 // of connections that are recorded otherwise
	Connections int   // not recorded at all
}

// New returns a Feed in which at most limit bytes wait; 0 or less: DefaultLimit.
func New(limit int64) *Feed {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Feed{limit: limit, ready: make(chan struct{}, 1)}
}

// kind is what an entry tells.
type kind uint8

const (
	opened kind = iota
	data
	missing
	acked
	ended
	closed
	failed
)

// entry is one thing a tap told.
type entry struct {
	tap   *Tap
	kind  kind
	side  capture.Side
	how   capture.How
	gone  bool
	bytes []byte
	// buffer is held for bytes; nil: they have memory of their own.
	buffer *Buffer
	n      int64 // missing: bytes; acked: offset
	at     capture.Instant
	fail   *capture.ConnectFailure
}

func (e *entry) cost() int64 {
	if e.buffer != nil {
		return overhead + BufferSize
	}
	return overhead + int64(len(e.bytes))
}

// keep sees to it that the bytes stay what they are.
func (e *entry) keep() {
	if e.buffer.worth(len(e.bytes)) {
		e.buffer.hold()
		return
	}
	e.bytes, e.buffer = bytes.Clone(e.bytes), nil
}

// release ends what keep began.
func (e *entry) release() {
	if e.buffer != nil {
		e.buffer.Release()
	}
	e.bytes, e.buffer = nil, nil
}

// Connect returns a Tap for c, which the recorder fills in from then on. Where the feed is full the connection is lost
// and the Tap does nothing.
func (f *Feed) Connect(c *capture.Conn) *Tap {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := &Tap{feed: f, conn: c}
	if f.size >= f.limit || f.closed {
		f.lost.Connections++
		t.over = true
		return t
	}
	f.push(entry{tap: t, kind: opened, at: c.Open})
	return t
}

// ConnectFailure hands on an attempt to connect that carried nothing, unless the feed is full.
func (f *Feed) ConnectFailure(c capture.ConnectFailure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size >= f.limit || f.closed {
		f.lost.Connections++
		return
	}
	f.push(entry{kind: failed, fail: &c, at: c.Start})
}

// Lost returns what was lost so far.
func (f *Feed) Lost() Lost {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.lost
}

// Close ends Run once all that waits has been handed on. What is told later is lost.
func (f *Feed) Close() {
	f.mu.Lock()
	f.closed = true
	f.mu.Unlock()
	f.wake()
}

// push appends to the queue. The caller holds the lock.
func (f *Feed) push(e entry) {
	f.queue = append(f.queue, e)
	f.size += e.cost()
	if len(f.queue) == 1 {
		f.wake()
	}
}

func (f *Feed) wake() {
	select {
	case f.ready <- struct{}{}:
	default:
	}
}

// Run hands on what the taps tell to r, in the order in which it was told, until Close. It calls batch, if there is one,
// after each run of entries and at least every interval. r and batch are called from this goroutine only.
func (f *Feed) Run(r capture.Recorder, interval time.Duration, batch func()) {
	if batch == nil {
		batch = func() {}
	}
	tick := time.NewTicker(interval)
	defer tick.Stop()
	var spare []entry
	for {
		select {
		case <-f.ready:
			f.await()
		case <-tick.C:
		}
		entries, over := f.take(spare)
		for i := range entries {
			f.apply(r, &entries[i])
		}
		clear(entries)
		spare = entries[:0]
		batch()
		if over {
			return
		}
	}
}

// await gives others time to add to what waits, unless it is much already.
func (f *Feed) await() {
	f.mu.Lock()
	soon := f.closed || f.size >= f.limit/4
	f.mu.Unlock()
	if !soon {
		time.Sleep(gather)
	}
}

// take exchanges the queue for an empty one. over: it was the last.
func (f *Feed) take(spare []entry) (entries []entry, over bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	entries = f.queue
	if cap(spare) > 64<<10 {
		spare = nil // a burst is over: give its memory back
	}
	f.queue = spare
	return entries, f.closed
}

// apply hands on one entry and makes room for others.
func (f *Feed) apply(r capture.Recorder, e *entry) {
	if e.kind == failed {
		r.ConnectFailure(*e.fail)
	} else {
		e.tap.apply(r, e)
	}
	f.mu.Lock()
	f.size -= e.cost()
	f.mu.Unlock()
	e.release()
}

// add adds an entry of a tap, unless there is no room: then false.
func (f *Feed) add(e entry) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	t := e.tap
	if t.over || f.closed {
		return false
	}
	switch e.kind {
	case data:
		if n := int64(len(e.bytes)); f.size+n > f.limit || t.lost[e.side] > 0 && f.size > f.limit/2 {
			t.lost[e.side] += n
			f.lost.Bytes += n
			return false
		}
		f.settle(t, e.side, e.at)
	case acked:
		if f.size > f.limit || t.lost[e.side] > 0 {
			return false // a later one tells more
		}
	default:
		f.settle(t, capture.Client, e.at)
		f.settle(t, capture.Server, e.at)
		t.over = e.kind == closed
	}
	f.push(e)
	return true
}

// settle tells of the bytes that were lost before what comes now. The caller holds the lock.
func (f *Feed) settle(t *Tap, side capture.Side, at capture.Instant) {
	if n := t.lost[side]; n > 0 {
		t.lost[side] = 0
		f.push(entry{tap: t, kind: missing, side: side, n: n, at: at})
	}
}
