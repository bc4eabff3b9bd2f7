package analyze

import (
	"encoding/binary"
	"hash/maphash"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// gist is what is asked of each exchange again and again: so much of its detail is always at hand.
type gist struct {
	verb   string      // see method
	client *clientName // what it says of its client, nil: nothing
	ask    uint64      // the same for all that ask for the same, see repeats; 0: it asks for nothing
	id     uint64      // hash of the id of its one call
	calls  bool        // see isCall
	named  bool        // it names a tool, a prompt or a resource
	opens  bool        // it brings the answer to an initialize
	refers bool        // to a task, to a state or to another call
	owes   bool        // a call of it has no answer on its own response
	marked bool        // its stream has events with ids
	holed  bool
	sse    bool

	// What is known of its Answer.
	answerAt  time.Duration
	answered  bool // it was dispatched
	onOwn     bool // … on its own response
	delivered bool
	failed    bool // it is an error
	again     bool // it asks for the call in another form
	plain     bool // it is a result, nothing else is to come of it, and the status says so too
}

// clientName is how a client names itself in clientInfo.
type clientName struct{ name, version string }

func (a *Analyzer) gistOf(r *capture.Reading) gist {
	g := gist{holed: r.Holed, sse: r.SSE, marked: len(r.Marks) > 0}
	if len(r.Calls) > 0 {
		fp := fingerprint(r)
		g.ask = binary.LittleEndian.Uint64(fp[:])
		if k := &r.Calls[0]; k.ClientName != "" {
			g.client = a.clients.share(clientName{k.ClientName, k.ClientVer}, func(n *clientName) { internAll(&n.name, &n.version) })
		}
		g.named = r.Calls[0].Name != ""
		if r.Kind != capture.KindBatch {
			g.verb, g.id = r.Calls[0].Method, hashOf(r.Calls[0].ID)
		}
	}
	for i := range r.Calls {
		k := &r.Calls[i]
		g.calls = g.calls || k.IsCall()
		g.refers = g.refers || k.TaskID != "" || k.RequestState || k.CancelID != ""
	}
	for i := range r.Messages {
		g.opens = g.opens || r.Messages[i].Result.Shape == "initialize"
	}
	return g
}

// hashOf tells ids apart as they stood on the wire; two different ones fall together once in 2⁶⁴.
func hashOf(id jsonrpc.ID) uint64 { return maphash.String(seed, string(id)) }

// alone reports whether the exchange is one call, and no batch.
func (c *Case) alone() bool { return c.calls && c.verb != "" }

// settle works out which of the answers stands for the exchange.
func (c *Case) settle(d *detail) {
	d.summary()
	an := d.answer
	c.answerAt = an.At
	c.answered, c.delivered, c.failed = an.Level == capture.LevelDispatched, an.Delivered > 0, an.Kind == "error"
	c.again = d.asksAgain()
	c.onOwn = c.answered && an.Stream == nil
	c.plain = c.answered && c.HTTP.Status == 200 && an.Kind == "result" && isPlain(an.Message.Result)
}

func isPlain(r *capture.ResultFacts) bool {
	return (r.ResultType == "" || r.ResultType == "complete") && r.TaskID == ""
}
