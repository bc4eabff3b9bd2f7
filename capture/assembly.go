package capture

import (
	"mcptrace/capture/wire/tls"
)

// Assembly turns connections into exchanges. It is a Recorder: a source feeds it, and it hands on each exchange once,
// when nothing more can be learnt of it (its response ended and was acknowledged, or the connection is over).
//
// Exchanges come in the order in which they settle, not in that of their start: sort by Seq. All calls come from the
// goroutine of the source.
type Assembly struct {
	// Sink receives each exchange. It owns it from then on and calls Release when done.
	Sink func(*Exchange)
	// Failed receives attempts to connect that carried nothing. May be nil.
	Failed func(ConnectFailure)
	// Keys are the TLS secrets known beforehand; those found in the input are added. May be nil.
	Keys *tls.KeyLog
	// MaxMessage is the number of bytes kept of one message; 0: no limit. What is cut off is marked on the message.
	MaxMessage int64

	seq   int64
	conns []*Conn
	cuts  int
	lines []tls.LineError
	purse purse // of the messages that were not handed on yet
}

// Connection begins a connection. See Recorder.
func (a *Assembly) Connection(c *Conn) Duplex {
	a.conns = append(a.conns, c)
	return newDetector(a, c)
}

// ConnectFailure takes note of an attempt that carried nothing. See Recorder.
func (a *Assembly) ConnectFailure(f ConnectFailure) {
	if a.Failed != nil {
		a.Failed(f)
	}
}

// Secrets adds TLS key log lines found in the input. See Recorder.
func (a *Assembly) Secrets(keylog []byte) {
	a.lines = append(a.lines, a.keys().Add(keylog)...)
}

func (a *Assembly) keys() *tls.KeyLog {
	if a.Keys == nil {
		a.Keys = tls.NewKeyLog()
	}
	return a.Keys
}

// DamagedSecrets returns the lines of key logs in the input that could not be used.
func (a *Assembly) DamagedSecrets() []tls.LineError { return a.lines }

// Conns returns the connections met so far, in order of their first byte.
func (a *Assembly) Conns() []*Conn { return a.conns }

// Cuts returns how many messages were cut off, or exchanges given up, because of a limit.
func (a *Assembly) Cuts() int { return a.cuts }

func (a *Assembly) newExchange(c *Conn, proto string, start Instant) *Exchange {
	ex := &Exchange{Seq: a.seq, Conn: c, Proto: proto, Start: start}
	ex.Request.Wire.purse, ex.Response.Wire.purse = &a.purse, &a.purse
	a.seq++
	return ex
}

// settleLimit bounds how many finished exchanges of one connection wait for their acknowledgements. One that is let go
// lacks this evidence.
const settleLimit = 256

// settling holds finished exchanges of one connection until they are acknowledged.
type settling struct {
	a    *Assembly
	wait []*Exchange
}

// add takes a finished exchange.
func (q *settling) add(ex *Exchange) {
	q.wait = append(q.wait, ex)
	q.flush(false)
	if len(q.wait) > settleLimit {
		if q.wait[0].mayBeAcked() {
			q.a.cuts++
		}
		q.a.emit(q.wait[0])
		q.wait = q.wait[1:]
	}
}

// mayBeAcked reports whether acknowledgements of ex were still to come: others wait for the end of their connection only,
// or were captured in one direction.
func (ex *Exchange) mayBeAcked() bool {
	return ex.Ending.Kind == EndClean && ex.Request.Complete && len(ex.Request.Acks)+len(ex.Response.Acks) > 0
}

// ack spreads an acknowledgement.
func (q *settling) ack(of Side, off int64, at Instant) {
	for _, ex := range q.wait {
		ex.message(of).ack(off, at, ex.Start)
	}
	q.flush(false)
}

// flush emits what is acknowledged, or all.
func (q *settling) flush(all bool) {
	kept := q.wait[:0]
	for _, ex := range q.wait {
		if all || ex.Ending.Kind == EndClean && ex.Request.Complete && ex.Response.acked() && ex.Request.acked() {
			q.a.emit(ex)
		} else {
			kept = append(kept, ex)
		}
	}
	clear(q.wait[len(kept):])
	q.wait = kept
}

func (a *Assembly) emit(ex *Exchange) {
	a.cuts += cutsIn(ex)
	ex.Request.Wire.leave()
	ex.Response.Wire.leave()
	a.Sink(ex)
}

// cutsIn returns how many messages of ex a limit has cut.
func cutsIn(ex *Exchange) int {
	n := 0
	for _, m := range []*Message{&ex.Request, &ex.Response} {
		if m.Cut {
			n++
		}
	}
	return n
}

// message returns the message that side sent.
func (ex *Exchange) message(of Side) *Message {
	if of == Client {
		return &ex.Request
	}
	return &ex.Response
}
