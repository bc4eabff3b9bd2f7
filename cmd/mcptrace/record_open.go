package main

import (
	"time"

	"mcptrace/capture"
)

// mostKnown bounds the endpoints whose open exchanges are written: clients may make up any number of paths.
const mostKnown = 10000

// openMark is how far an exchange had come when it was last written.
type openMark struct {
	size int64
	at   time.Time
	wait time.Duration
}

// mostWait bounds how long what a stream goes on with is not written. The longer a stream, the seldomer: each time it is
// written as a whole.
const mostWait = time.Minute

// addOpen writes exchanges that are under way as far as they have come, so that a crash does not lose them.
func (l *live) addOpen(now time.Time) {
	for _, d := range l.conns {
		capture.Open(d.Duplex, func(ex *capture.Exchange) {
			size := ex.Request.Wire.Len() + ex.Response.Wire.Len()
			m, again := l.marks[ex.Seq]
			if l.w == nil || !l.known[capture.EndpointOf(ex)] || again && (size == m.size || now.Sub(m.at) < m.wait) {
				return
			}
			l.marks[ex.Seq] = openMark{size, now, min(max(2*m.wait, time.Second), mostWait)}
			l.check(l.w.AddWith(ex, hints(capture.Read(ex))))
		})
	}
}
