package main

import (
	"slices"

	"mcptrace/capture"
)

// liveConn is a connection that is not over.
type liveConn struct {
	capture.Duplex
	l *live
	c *capture.Conn
}

// Missing implements capture.Duplex.
func (d *liveConn) Missing(from capture.Side, n int64, s capture.Stamp) {
	d.l.gaps++
	d.Duplex.Missing(from, n, s)
}

// Close implements capture.Duplex.
func (d *liveConn) Close(s capture.Stamp) {
	d.Duplex.Close(s)
	delete(d.l.conns, d.c)
	d.l.over = append(d.l.over, d.c)
}

// Connection implements capture.Recorder.
func (l *live) Connection(c *capture.Conn) capture.Duplex {
	d := &liveConn{l.asm.Connection(c), l, c}
	l.conns[c] = d
	return d
}

// mostOver is how many connections are known after they are over: exchanges of theirs may wait for their endpoint to prove
// itself.
const mostOver = 1000

// letGo writes the connections that have been over for longest as they ended, and forgets them.
func (l *live) letGo() {
	n := len(l.over) - mostOver
	if n <= 0 {
		return
	}
	gone := make(map[*capture.Conn]bool, n)
	for _, c := range l.over[:n] {
		gone[c] = true
		if l.w != nil {
			l.check(l.w.EndConnection(c))
		}
	}
	l.over = slices.Delete(l.over, 0, n)
	l.asm.Forget(func(c *capture.Conn) bool { return gone[c] })
}
