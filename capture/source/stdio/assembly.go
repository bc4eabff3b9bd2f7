package stdio

import (
	"mcptrace/capture"
)

// DefaultMaxLine is how many bytes of a line are kept.
const DefaultMaxLine = 64 << 20

// maxOpen bounds the calls of one conversation that wait for their answer; beyond it the oldest are given up.
const maxOpen = 1000

// Assembly turns the lines of conversations into exchanges. It is a capture.Recorder whose connections are runs of
// servers, and hands on each exchange once, when nothing more can be learnt of it. All calls come from one goroutine.
type Assembly struct {
	// Sink receives each exchange and owns it from then on.
	Sink func(*capture.Exchange)
	// MaxLine is how many bytes of a line are kept; 0: DefaultMaxLine. What is cut off is marked on the message.
	MaxLine int

	seq   int64
	cuts  int
	conns []*capture.Conn
}

var _ capture.Recorder = (*Assembly)(nil)

// Connection implements capture.Recorder: a server has been started.
func (a *Assembly) Connection(c *capture.Conn) capture.Duplex {
	a.conns = append(a.conns, c)
	max := a.MaxLine
	if max <= 0 {
		max = DefaultMaxLine
	}
	v := &conversation{a: a, c: c}
	v.line[capture.Client].max, v.line[capture.Server].max = max, max
	return v
}

// ConnectFailure implements capture.Recorder. There are none.
func (a *Assembly) ConnectFailure(capture.ConnectFailure) {}

// Secrets implements capture.Recorder. There are none.
func (a *Assembly) Secrets([]byte) {}

// Conns returns the conversations met so far.
func (a *Assembly) Conns() []*capture.Conn { return a.conns }

// Cuts returns how many messages were cut off by MaxLine, and how many calls were given up because too many waited.
func (a *Assembly) Cuts() int { return a.cuts }

// Forget drops the conversations that over tells of from Conns.
func (a *Assembly) Forget(over func(*capture.Conn) bool) {
	kept := a.conns[:0]
	for _, c := range a.conns {
		if !over(c) {
			kept = append(kept, c)
		}
	}
	clear(a.conns[len(kept):])
	a.conns = kept
}

func (a *Assembly) newExchange(c *capture.Conn, start capture.Instant) *capture.Exchange {
	ex := &capture.Exchange{Seq: a.seq, Conn: c, Proto: "stdio", Start: start}
	a.seq++
	return ex
}

func (a *Assembly) emit(ex *capture.Exchange) {
	for _, m := range []*capture.Message{&ex.Request, &ex.Response} {
		if m.Cut {
			a.cuts++
		}
	}
	a.Sink(ex)
}
