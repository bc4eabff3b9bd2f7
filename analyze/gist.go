package analyze

import (
	"encoding/binary"

	"mcptrace/capture"
)

// gist is what is asked of each exchange again and again: so much of its detail is always at hand.
type gist struct {
	verb       string // see method
	ask        uint64 // the same for all that ask for the same, see repeats; 0: it asks for nothing
	calls      bool   // see isCall
	introduces bool   // it says who a client or a server is
	refers     bool   // to a task, to a state or to another call
	owes       bool   // a call of it has no answer on its own response
	holed      bool
	sse        bool

	// What is known of its Answer.
	answered  bool // it was dispatched
	onOwn     bool // … on its own response
	delivered bool
}

func gistOf(r *capture.Reading) gist {
	g := gist{holed: r.Holed, sse: r.SSE}
	if len(r.Calls) > 0 {
		fp := fingerprint(r)
		g.ask = binary.LittleEndian.Uint64(fp[:])
		if r.Kind != capture.KindBatch {
			g.verb = r.Calls[0].Method
		}
	}
	for i := range r.Calls {
		k := &r.Calls[i]
		g.calls = g.calls || k.IsCall()
		g.introduces = g.introduces || k.ClientName != ""
		g.refers = g.refers || k.TaskID != "" || k.RequestState || k.CancelID != ""
	}
	for i := range r.Messages {
		g.introduces = g.introduces || r.Messages[i].Result.Shape == "initialize"
	}
	return g
}

// alone reports whether the exchange is one call, and no batch.
func (c *Case) alone() bool { return c.calls && c.verb != "" }

// settle works out which of the answers stands for the exchange.
func (c *Case) settle(d *detail) {
	d.summary()
	an := d.answer
	c.answered, c.delivered = an.Level == capture.LevelDispatched, an.Delivered > 0
	c.onOwn = c.answered && an.Stream == nil
}
