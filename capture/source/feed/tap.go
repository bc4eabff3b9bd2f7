package feed

import (
	"mcptrace/capture"
)

// Tap is one connection's end of a Feed. It has the methods of capture.Duplex, which here may be called from any
// goroutine; calls after Close do nothing.
type Tap struct {
	feed *Feed
	conn *capture.Conn

	// Under the feed's lock.
	over bool     // closed, or not recorded
	lost [2]int64 // bytes of each side not told of yet

	// Of the recorder's goroutine.
	to  capture.Duplex
	off [2]int64 // bytes that each side had sent
}

var _ capture.Duplex = (*Tap)(nil)

// Data implements capture.Duplex. It copies p.
func (t *Tap) Data(from capture.Side, p []byte, s capture.Stamp) { t.Keep(from, p, nil, s) }

// Keep is Data for a p that lies in b: where p is a large part of it, b is held on to and nothing is copied. A nil b is
// none.
func (t *Tap) Keep(from capture.Side, p []byte, b *Buffer, s capture.Stamp) {
	if len(p) > 0 {
		t.tell(entry{kind: data, side: from, bytes: p, buffer: b, at: s.Seen})
	}
}

// Missing implements capture.Duplex.
func (t *Tap) Missing(from capture.Side, n int64, s capture.Stamp) {
	t.tell(entry{kind: missing, side: from, n: n, at: s.Seen})
}

// Ack implements capture.Duplex.
func (t *Tap) Ack(of capture.Side, off int64, gone bool, s capture.Stamp) {
	t.tell(entry{kind: acked, side: of, n: off, gone: gone, at: s.Seen})
}

// End implements capture.Duplex. The recorder notes it among the connection's closings.
func (t *Tap) End(by capture.Side, how capture.How, s capture.Stamp) {
	t.tell(entry{kind: ended, side: by, how: how, at: s.Seen})
}

// Close implements capture.Duplex.
func (t *Tap) Close(s capture.Stamp) {
	t.tell(entry{kind: closed, at: s.Seen})
}

func (t *Tap) tell(e entry) {
	e.tap = t
	e.keep() // not under the lock: others wait for it
	if !t.feed.add(e) {
		e.release()
	}
}

// apply hands on one entry, on the recorder's goroutine.
func (t *Tap) apply(r capture.Recorder, e *entry) {
	s := capture.Stamp{Seen: e.at, At: e.at}
	t.conn.Last = max(t.conn.Last, e.at)
	switch e.kind {
	case opened:
		t.to = r.Connection(t.conn)
	case data:
		t.off[e.side] += int64(len(e.bytes))
		t.to.Data(e.side, e.bytes, s)
	case missing:
		t.off[e.side] += e.n
		t.conn.Gaps++
		t.conn.GapBytes += e.n
		t.to.Missing(e.side, e.n, s)
	case acked:
		t.to.Ack(e.side, min(e.n, t.off[e.side]), e.gone, s)
	case ended:
		t.conn.Closings = append(t.conn.Closings, capture.Closing{By: e.side, How: e.how, At: e.at, Offset: t.off[e.side]})
		t.to.End(e.side, e.how, s)
	case closed:
		t.to.Close(s)
	}
}
