package pcap

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mcptrace/capture"
)

// stream is one direction as it was told.
type stream struct {
	data    []byte // missing bytes as zeros
	missing int64
	acked   int64
	at      []capture.Stamp // of every call of Data and Missing
	ends    []capture.How
}

// told is one connection as it was told.
type told struct {
	t    testing.TB
	conn *capture.Conn
	dir  [2]stream
	log  []string
	done bool
}

func (d *told) note(format string, args ...any) {
	if d.done {
		d.t.Errorf("connection %d: a call after Close", d.conn.ID)
	}
	d.log = append(d.log, fmt.Sprintf(format, args...))
}

func (d *told) stamp(from capture.Side, s capture.Stamp) {
	st := &d.dir[from]
	if n := len(st.at); n > 0 && s.At < st.at[n-1].At {
		d.t.Errorf("connection %d: %v bytes readable at %d after %d", d.conn.ID, from, s.At, st.at[n-1].At)
	}
	if s.At < s.Seen {
		d.t.Errorf("connection %d: readable before seen", d.conn.ID)
	}
	st.at = append(st.at, s)
}

func (d *told) Data(from capture.Side, p []byte, s capture.Stamp) {
	if len(p) == 0 {
		d.t.Error("empty data")
	}
	d.note("%v data %d #%d", from, len(p), s.Packet)
	d.dir[from].data = append(d.dir[from].data, p...)
	d.stamp(from, s)
}

func (d *told) Missing(from capture.Side, n int64, s capture.Stamp) {
	if n <= 0 {
		d.t.Errorf("missing %d bytes", n)
	}
	d.note("%v missing %d #%d", from, n, s.Packet)
	if n < 1<<24 {
		d.dir[from].data = append(d.dir[from].data, make([]byte, n)...)
	}
	d.dir[from].missing += n
	d.stamp(from, s)
}

func (d *told) Ack(of capture.Side, off int64, gone bool, s capture.Stamp) {
	st := &d.dir[of]
	if off <= st.acked {
		d.t.Errorf("connection %d: acknowledged %d after %d", d.conn.ID, off, st.acked)
	}
	if st.missing < 1<<24 && off > int64(len(st.data)) {
		d.t.Errorf("connection %d: acknowledged %d of %d", d.conn.ID, off, len(st.data))
	}
	st.acked = off
	suffix := ""
	if gone {
		suffix = " gone"
	}
	d.note("%v acked %d%s #%d", of, off, suffix, s.Packet)
}

func (d *told) End(by capture.Side, how capture.How, s capture.Stamp) {
	d.note("%v end %d #%d", by, how, s.Packet)
	d.dir[by].ends = append(d.dir[by].ends, how)
}

func (d *told) Close(s capture.Stamp) {
	d.note("close")
	d.done = true
}

// recorder keeps everything it is told.
type recorder struct {
	t        testing.TB
	conns    []*told
	failures []capture.ConnectFailure
	secrets  []byte
}

func (r *recorder) Connection(c *capture.Conn) capture.Duplex {
	if !c.Client.IsValid() || !c.Server.IsValid() {
		r.t.Errorf("connection %d without addresses", c.ID)
	}
	d := &told{t: r.t, conn: c}
	r.conns = append(r.conns, d)
	return d
}

func (r *recorder) ConnectFailure(f capture.ConnectFailure) { r.failures = append(r.failures, f) }
func (r *recorder) Secrets(keylog []byte)                   { r.secrets = append(r.secrets, keylog...) }

// read reads inputs and checks that every connection was closed.
func read(t testing.TB, opt Options, inputs ...Input) (*recorder, []capture.Quality) {
	t.Helper()
	r := &recorder{t: t}
	q, err := Read(context.Background(), inputs, r, opt)
	if err != nil {
		t.Fatal(err)
	}
	r.closed()
	return r, q
}

func (r *recorder) closed() {
	for _, d := range r.conns {
		if !d.done {
			r.t.Errorf("connection %d was not closed", d.conn.ID)
		}
	}
}

// shared finds the reference captures beside the project, or skips the test.
func shared(t testing.TB, path string) string {
	t.Helper()
	dir, err := os.Getwd()
	for err == nil && dir != filepath.Dir(dir) {
		dir = filepath.Dir(dir)
		p := filepath.Join(dir, "shared", path)
		if _, err := os.Stat(p); err == nil {
			return p
		}
	}
	t.Skip("no reference captures here")
	return ""
}
