package main

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
	"mcptrace/store"
)

// newRecorder returns a recorder of HTTP traffic into a file of the test's.
func newRecorder(t testing.TB) *live {
	t.Helper()
	files := &recordingFiles{base: filepath.Join(t.TempDir(), "p.db")}
	l, err := newLive(files, store.Input{Path: "http://upstream", Kind: "proxy"}, false, feed.New(0))
	if err != nil {
		t.Fatal(err)
	}
	l.fromHTTP([]string{"/mcp"})
	return l
}

// shortCalls records n calls on a connection each, whose numbers begin with first. Every thousandth is committed.
func shortCalls(l *live, first, n int) {
	for i := first; i < first+n; i++ {
		at := capture.Instant(i + 1)
		s := capture.Stamp{Seen: at, At: at}
		c := &capture.Conn{ID: int64(i), Open: at, Last: at}
		d := l.Connection(c)
		call := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"t"}}`, i)
		d.Data(capture.Client, fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: a\r\nMcp-Session-Id: session-%d\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", i, len(call), call), s)
		answer := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":{"content":[]}}`, i)
		response := fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(answer), answer)
		d.Data(capture.Server, response, s)
		d.Ack(capture.Server, int64(len(response)), false, s)
		c.Closings = append(c.Closings, capture.Closing{By: capture.Client, How: capture.FIN, At: at})
		d.End(capture.Client, capture.FIN, s)
		d.Close(s)
		if i%1000 == 999 {
			l.flushed = time.Time{}
			l.batch()
		}
	}
}

// heapInUse returns the bytes that are reachable.
func heapInUse() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC() // what pools gave up at the first
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestRecorderMemoryIsFlat records connections that come and go: what is over and written is let go.
func TestRecorderMemoryIsFlat(t *testing.T) {
	l := newRecorder(t)
	const calls = 5000
	shortCalls(l, 0, calls) // until all that is bounded is full
	before := heapInUse()
	shortCalls(l, calls, calls)
	// a Conn that is kept takes some 600 bytes
	if grown := heapInUse() - before; grown > calls*100 {
		t.Errorf("%d bytes more after %d more calls", grown, calls)
	}
	if n := len(l.asm.Conns()); n > mostOver+1000 {
		t.Errorf("%d connections are known", n)
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	r, err := store.Open(l.files.current())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	n := 0
	for ex, err := range r.Exchanges(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if n++; len(ex.Conn.Closings) != 1 {
			t.Fatalf("connection %d has %d closings, want 1", ex.Conn.ID, len(ex.Conn.Closings))
		}
	}
	if conns, err := r.Conns(); n != 2*calls || len(conns) != 2*calls || err != nil {
		t.Errorf("%d exchanges on %d connections (%v), want %d on as many", n, len(conns), err, 2*calls)
	}
}

// BenchmarkRecorderMemory says how much stays of a call that is over; many calls tell:
//
//	go test -run xxx -bench RecorderMemory -benchtime 200000x ./cmd/mcptrace
func BenchmarkRecorderMemory(b *testing.B) {
	l := newRecorder(b)
	const warm = 5000
	shortCalls(l, 0, warm)
	before := heapInUse()
	b.ResetTimer()
	shortCalls(l, warm, b.N)
	b.StopTimer()
	b.ReportMetric(float64(heapInUse()-before)/float64(b.N), "B-kept/call")
	if err := l.close(); err != nil {
		b.Fatal(err)
	}
}
