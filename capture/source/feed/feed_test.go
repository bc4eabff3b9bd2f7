package feed

import (
	"bytes"
	"sync"
	"testing"
	"time"

	"mcptrace/capture"
)

// tape is a Recorder that writes down what it is told.
type tape struct {
	conns []*reel
	fails int
	block chan struct{} // not nil: Connection waits for it
}

type reel struct {
	conn   *capture.Conn
	bytes  [2][]byte // lost bytes are zero
	acked  [2]int64
	ends   []capture.How
	closed int
	last   capture.Instant
}

func (t *tape) Connection(c *capture.Conn) capture.Duplex {
	if t.block != nil {
		<-t.block
	}
	r := &reel{conn: c}
	t.conns = append(t.conns, r)
	return r
}
func (t *tape) ConnectFailure(capture.ConnectFailure) { t.fails++ }
func (t *tape) Secrets([]byte)                        {}

func (r *reel) Data(from capture.Side, p []byte, s capture.Stamp) {
	r.bytes[from] = append(r.bytes[from], p...)
	r.last = s.Seen
}
func (r *reel) Missing(from capture.Side, n int64, s capture.Stamp) {
	r.bytes[from] = append(r.bytes[from], make([]byte, n)...)
}
func (r *reel) Ack(of capture.Side, off int64, gone bool, s capture.Stamp) { r.acked[of] = off }
func (r *reel) End(by capture.Side, how capture.How, s capture.Stamp)      { r.ends = append(r.ends, how) }
func (r *reel) Close(capture.Stamp)                                        { r.closed++ }

func stamp(n int64) capture.Stamp {
	return capture.Stamp{Seen: capture.Instant(n), At: capture.Instant(n)}
}

func TestFeedHandsOnInOrder(t *testing.T) {
	f := New(0)
	rec := &tape{}
	var wg sync.WaitGroup
	wg.Go(func() { f.Run(rec, time.Hour, nil) })
	c := &capture.Conn{Open: 1}
	tap := f.Connect(c)
	tap.Data(capture.Client, []byte("ask"), stamp(2))
	tap.Data(capture.Server, []byte("ans"), stamp(3))
	tap.Ack(capture.Server, 3, false, stamp(4))
	tap.End(capture.Server, capture.FIN, stamp(5))
	tap.End(capture.Client, capture.RST, stamp(6))
	tap.Close(stamp(7))
	tap.Data(capture.Client, []byte("late"), stamp(8))
	f.ConnectFailure(capture.ConnectFailure{Kind: "refused"})
	f.Close()
	wg.Wait()
	if len(rec.conns) != 1 || rec.fails != 1 {
		t.Fatalf("%d connections and %d failures, want 1 and 1", len(rec.conns), rec.fails)
	}
	r := rec.conns[0]
	if string(r.bytes[capture.Client]) != "ask" || string(r.bytes[capture.Server]) != "ans" || r.acked[capture.Server] != 3 || r.closed != 1 {
		t.Errorf("got %q, %q, acked %d, closed %d", r.bytes[0], r.bytes[1], r.acked[capture.Server], r.closed)
	}
	want := []capture.Closing{{By: capture.Server, How: capture.FIN, At: 5, Offset: 3}, {By: capture.Client, How: capture.RST, At: 6, Offset: 3}}
	if len(c.Closings) != 2 || c.Closings[0] != want[0] || c.Closings[1] != want[1] {
		t.Errorf("closings %v, want %v", c.Closings, want)
	}
	if c.Last != 7 {
		t.Errorf("last %d, want 7", c.Last)
	}
}

// TestFeedLoses fills a feed whose recorder stands still: nobody waits, every lost byte is counted and has its place.
func TestFeedLoses(t *testing.T) {
	const limit = 64 << 10
	f := New(limit)
	rec := &tape{block: make(chan struct{})}
	var wg sync.WaitGroup
	wg.Go(func() { f.Run(rec, time.Hour, nil) })
	c := &capture.Conn{}
	tap := f.Connect(c)
	chunk := bytes.Repeat([]byte("x"), 1000)
	sent := int64(0)
	for range 200 {
		tap.Data(capture.Server, chunk, stamp(1))
		sent += int64(len(chunk))
	}
	lost := f.Lost().Bytes
	if lost == 0 || lost >= sent {
		t.Fatalf("%d of %d bytes lost", lost, sent)
	}
	if late := f.Connect(&capture.Conn{}); late == nil || f.Lost().Connections != 0 && f.size < limit {
		t.Error("a connection was lost although there was room")
	}
	close(rec.block)
	tap.End(capture.Server, capture.FIN, stamp(2))
	tap.Close(stamp(3))
	f.Close()
	wg.Wait()
	r := rec.conns[0]
	if got := int64(len(r.bytes[capture.Server])); got != sent {
		t.Errorf("%d bytes with the lost ones, want %d", got, sent)
	}
	if got := int64(bytes.Count(r.bytes[capture.Server], []byte("x"))); got != sent-lost {
		t.Errorf("%d bytes kept, want %d", got, sent-lost)
	}
	if c.GapBytes != lost || c.Gaps == 0 {
		t.Errorf("the connection tells of %d bytes in %d gaps, want %d", c.GapBytes, c.Gaps, lost)
	}
	if f.size != 0 {
		t.Errorf("%d bytes still counted as waiting", f.size)
	}
}

func TestFeedManyTaps(t *testing.T) {
	f := New(0)
	rec := &tape{}
	var run, taps sync.WaitGroup
	batches := 0
	run.Go(func() { f.Run(rec, time.Millisecond, func() { batches++ }) })
	for i := range 50 {
		taps.Go(func() {
			tap := f.Connect(&capture.Conn{ID: int64(i)})
			for j := range 100 {
				tap.Data(capture.Client, []byte{byte(j)}, stamp(int64(j)))
			}
			tap.Close(stamp(1000))
		})
	}
	taps.Wait()
	f.Close()
	run.Wait()
	if len(rec.conns) != 50 || batches == 0 {
		t.Fatalf("%d connections in %d batches", len(rec.conns), batches)
	}
	for _, r := range rec.conns {
		if len(r.bytes[0]) != 100 || r.closed != 1 {
			t.Fatalf("%d bytes, closed %d times", len(r.bytes[0]), r.closed)
		}
		for j, b := range r.bytes[0] {
			if int(b) != j {
				t.Fatalf("byte %d is %d", j, b)
			}
		}
	}
}
