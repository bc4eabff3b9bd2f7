package store

import (
	"path/filepath"
	"runtime"
	"testing"

	"mcptrace/capture"
)

// TestAfterTheEnd: an exchange that was held back until its connection had ended belongs to that connection still.
func TestAfterTheEnd(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	seq := int64(0)
	add := func(c *capture.Conn) {
		t.Helper()
		must(w.Add(&capture.Exchange{Seq: seq, Conn: c, Proto: "1.1"}))
		seq++
	}
	early, late := &capture.Conn{ID: 1}, &capture.Conn{ID: 2}
	add(early)
	must(w.Flush())
	early.Closings = []capture.Closing{{How: capture.FIN}}
	for range 2 { // once as changed, once as written already
		must(w.EndConnection(early))
		must(w.EndConnection(late)) // no exchange of it has come
		must(w.Flush())
		add(early)
	}
	add(late)
	must(w.Flush())
	if n := len(w.conns.known); n != 0 {
		t.Errorf("%d connections that are over are kept", n)
	}
	must(w.Finish(nil, nil))
	must(w.Close())

	var got []*capture.Conn
	for _, ex := range readAll(t, path) {
		got = append(got, ex.Conn)
	}
	if got[0] != got[1] || got[0] != got[2] || got[0] == got[3] || got[0].ID != 1 || got[3].ID != 2 || len(got[0].Closings) != 1 {
		t.Errorf("connections %+v", got)
	}
}

// TestEndedAreForgotten: what is kept of connections that are over does not grow once nobody holds them.
func TestEndedAreForgotten(t *testing.T) {
	w := newWrittenConns()
	held := &capture.Conn{}
	w.letGo(held, 1)
	for id := range int64(10 * leastEnded) {
		w.letGo(&capture.Conn{}, 2+id)
		if id%leastEnded == 0 {
			runtime.GC()
		}
	}
	if n := len(w.ended); n > 4*leastEnded {
		t.Errorf("%d of %d are kept", n, 10*leastEnded)
	}
	if id := w.id(held); id != 1 {
		t.Errorf("the one that is held has the number %d", id)
	}
}
