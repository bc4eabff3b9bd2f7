package analyze

import (
	"hash/maphash"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// gist is what is asked of each exchange again and again, out of its detail.
type gist struct {
	ask    wish   // what it asks for
	id     uint64 // hash of the id of its one call
	nameNo int32  // number of the name of its first call, see Analyzer.names; 0: it has none, as there are too many
	kind   callKind
	asks   bool // it carries a message of the client
	oddID  bool // its id may be written in other ways
	points bool // its stream names an endpoint
	calls  bool // see isCall
	named  bool // it names a tool, a prompt or a resource
	opens  bool // it brings the answer to an initialize
	lists  bool // it brings a list of tools
	refers bool // to a task, to a state or to another call
	owes   bool // a call of it has no answer on its own response
	marked bool // its stream has events with ids
	holed  bool
	sse    bool
	safety safetyCode
	hint   hintCode

	// What is known of its Answer.
	answerAt  time.Duration
	answered  bool // it was dispatched
	onOwn     bool // … on its own response
	acked     bool // its last byte was acknowledged
	gapped    bool // bytes of it were not captured
	delivered bool
	failed    bool // it is an error
	unwell    bool // it is an error, or says that a tool failed
	again     bool // it asks for the call in another form
	presumed  bool // later messages may presuppose it
	plain     bool // it is a result, nothing else is to come of it, and the status says so too

	judged uint8 // of the one answer, where it was worked out from the gist alone: the place of the verdict in verdicts, from 1
}

// wish is the same for all exchanges that ask for the same.
type wish [16]byte

// wishOf returns what r asks for: of a batch, all of it.
func wishOf(r *capture.Reading) (k wish) {
	for i := range r.Calls {
		for j := range k {
			k[j] ^= r.Calls[i].Fingerprint[j] + byte(i)
		}
	}
	return k
}

// clientName is how a client names itself in clientInfo.
type clientName struct{ name, version string }

func (a *Analyzer) gistOf(r *capture.Reading) gist {
	g := gist{holed: r.Holed, sse: r.SSE, marked: len(r.Marks) > 0, points: r.Endpoint != "", ask: wishOf(r), asks: len(r.Calls) > 0, kind: kindOf(r.Kind)}
	if len(r.Calls) > 0 {
		k := &r.Calls[0]
		if r.Kind != capture.KindBatch {
			g.id, g.oddID = hashOf(k.ID), isOdd(k.ID)
		}
		g.named, g.nameNo = k.Name != "", int32(a.names.number(k.Name, namesLimit))
	}
	for i := range r.Calls {
		k := &r.Calls[i]
		g.calls = g.calls || k.IsCall()
		g.refers = g.refers || k.TaskID != "" || k.RequestState || k.CancelID != ""
	}
	for i := range r.Messages {
		f := r.Messages[i].Result
		g.opens, g.lists = g.opens || f.Shape == "initialize", g.lists || len(f.Tools()) > 0
	}
	return g
}

// callKind is capture.CallKind in a byte.
type callKind uint8

const (
	otherKind callKind = iota
	oneRequest
	oneNotification
	oneResponse
	aBatch
)

func kindOf(k capture.CallKind) callKind {
	switch k {
	case capture.KindRequest:
		return oneRequest
	case capture.KindNotification:
		return oneNotification
	case capture.KindResponse:
		return oneResponse
	case capture.KindBatch:
		return aBatch
	}
	return otherKind
}

// isOdd reports whether equal ids may be written in another way than this one.
func isOdd(id jsonrpc.ID) bool { return strings.ContainsAny(string(id), `\.eE-`) }

// hashOf tells ids apart as they stood on the wire; two different ones fall together once in 2⁶⁴.
func hashOf(id jsonrpc.ID) uint64 { return maphash.String(seed, string(id)) }

// alone reports whether the exchange is one call, and no batch.
func (c *Case) alone() bool { return c.kind == oneRequest }

// callCount returns how many calls the exchange carries.
func (c *Case) callCount() int {
	switch {
	case c.alone():
		return 1
	case !c.calls:
		return 0
	}
	return len(c.Answers())
}

// settle works out which of the answers stands for the exchange, and its gist.
func (c *Case) settle(d *detail) {
	d.summary()
	an := d.answer
	c.answerAt, c.gapped = an.At, an.Holed
	c.answered, c.delivered, c.failed = an.Level == capture.LevelDispatched, an.Delivered > 0, an.Kind == "error"
	c.onOwn, c.again = c.answered && an.Stream == nil, d.asksAgain()
	c.unwell, c.plain, c.presumed, c.acked = c.failed, false, false, false
	if m := an.Message; m != nil {
		c.acked, c.unwell = m.AckedAt >= 0, c.failed || m.Result.IsError
		c.plain = c.answered && c.HTTP.Status == 200 && an.Kind == "result" && isPlain(m.Result)
		c.presumed = an.Kind == "result" && (c.verb == "initialize" || m.Result.TaskID != "" || m.Result.State)
	}
}

func isPlain(r *capture.ResultFacts) bool {
	return (r.ResultType == "" || r.ResultType == "complete") && r.TaskID == ""
}
