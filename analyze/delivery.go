package analyze

import (
	"slices"
	"time"

	"mcptrace/capture"
)

// early is how soon after its answer a client that returns on it closes; one round trip comes on top.
const early = 250 * time.Millisecond

// acts is what later messages of clients presuppose: the newest moment at which each thing was referred to.
type acts struct {
	session map[*Session]capture.Instant // any message after the initialize answer
	task    map[actTask]capture.Instant
	state   map[actState]capture.Instant
}

// actTask and actState name what a client refers to, within its session: other servers may use the same names.
type actTask struct {
	session *Session
	id      string
}

type actState struct {
	session *Session
	hash    [8]byte
}

// collectActs gathers what clients refer to, and the notes by which they cancelled calls.
func (a *Analyzer) collectActs() {
	x := acts{map[*Session]capture.Instant{}, map[actTask]capture.Instant{}, map[actState]capture.Instant{}}
	for c := range a.each(a.cases) {
		if m := c.method(); m != "initialize" && m != "notifications/cancelled" && c.HasRequest {
			x.session[c.Group] = max(x.session[c.Group], c.Start)
		}
		if !c.refers {
			continue
		}
		for i := range c.R().Calls {
			k := &c.R().Calls[i]
			if k.TaskID != "" {
				t := actTask{c.Group, k.TaskID}
				x.task[t] = max(x.task[t], c.Start)
			}
			if k.RequestState {
				st := actState{c.Group, k.StateHash}
				x.state[st] = max(x.state[st], c.Start)
			}
			if k.Method == "notifications/cancelled" && k.CancelID != "" {
				a.cancel(c, k)
			}
		}
	}
	a.acts = x
}

// cancel marks the call that a note of the client's cancels: the newest with that id.
func (a *Analyzer) cancel(note *Case, k *capture.Call) {
	same := note.Group.withID(k.CancelID)
	for i := len(same) - 1; i >= 0; i-- {
		if c := same[i]; c.Start <= note.Start && c.Cancelled == 0 {
			c.tie().Cancelled, note.tie().cancels = note.Start, c
			return
		}
	}
}

// actedOn reports whether a later message of the client presupposes the answer.
func (a *Analyzer) actedOn(c *Case, an *Answer) bool {
	if an.Message == nil || an.Kind != "result" {
		return false
	}
	r, at := an.Message.Result, c.at(an.At)
	if c.method() == "initialize" && c.Session() != nil && a.acts.session[c.Group] > at {
		return true
	}
	if r.TaskID != "" && a.acts.task[actTask{c.Group, r.TaskID}] > at {
		return true
	}
	return r.State && a.acts.state[actState{c.Group, r.StateHash}] > at
}

// deliver decides for each answer whether it reached the client's host.
func (a *Analyzer) deliver(c *Case) {
	if c.onOwn && c.alone() && !c.presumed {
		v := c.verdict(c, c.answerAt, c.acked, c.gapped, false)
		c.delivered, c.judged = v.delivered > 0, uint8(slices.Index(verdicts, v)+1)
		if c.d.away == nil {
			v.put(c.d)
		}
		return
	}
	if !c.calls && c.HasRequest {
		return
	}
	d := c.edit()
	for i := range d.answers {
		a.judge(c, &d.answers[i])
	}
	c.settle(d)
}

func (a *Analyzer) judge(c *Case, an *Answer) {
	if an.Level != capture.LevelDispatched {
		an.Delivered = -1
		if c.holed || an.Holed || c.Conn.OneSided || !c.HasRequest {
			an.Delivered = 0
		}
		return
	}
	carrier := c
	if an.Stream != nil {
		carrier = an.Stream
	}
	v := c.verdict(carrier, an.At, c.ackedOn(an) >= 0, an.Holed, a.actedOn(c, an))
	an.Delivered, an.Evidence = v.delivered, v.evidence
}

// verdict is whether an answer that was complete on the wire reached the client's host, and how that is known.
type verdict struct {
	delivered int // see Answer
	evidence  Evidence
}

// verdicts are all that there are.
var verdicts = func() (all []verdict) {
	for d := -1; d <= 1; d++ {
		for _, e := range []Evidence{Seen, Acked, Acted, Written} {
			all = append(all, verdict{d, e})
		}
	}
	return all
}()

// put writes the verdict into the one answer of a detail.
func (v verdict) put(d *detail) {
	d.answers[0].Delivered, d.answers[0].Evidence = v.delivered, v.evidence
}

// verdict decides for an answer to c that was complete on carrier at a moment since the start of c. acted: a later
// message of the client presupposes it.
func (c *Case) verdict(carrier *Case, at time.Duration, acked, holed, acted bool) verdict {
	v := verdict{0, Seen}
	kind := c.Conn.Vantage.Kind
	switch {
	case acked && (kind == "proxy" || kind == "stdio"):
		v.evidence = Written
	case acked:
		v.evidence = Acked
	case acted:
		v.evidence = Acted
	}
	switch {
	case acted:
		v.delivered = 1
	case acked && carrier.Conn.Vantage.Kind == "stdio": // closing a server's input is no sign that nobody reads its output
		v.delivered = 1
	case c.goneBefore(carrier, c.at(at)):
		v.delivered = -1
	case acked && !holed:
		v.delivered = 1
	case !acked && notHandedOn(carrier):
		v.delivered = -1
	}
	return v
}

// notHandedOn reports whether it is known that what was not acknowledged never reached the client: the recorder itself
// would have handed it on, and the client has gone.
func notHandedOn(carrier *Case) bool {
	kind := carrier.Conn.Vantage.Kind
	return (kind == "proxy" || kind == "stdio") && carrier.clientGone() >= 0
}

// goneBefore reports whether the client had closed, reset or cancelled before the answer was complete.
func (c *Case) goneBefore(carrier *Case, at capture.Instant) bool {
	if gone := carrier.clientGone(); gone >= 0 && carrier.at(gone) < at {
		return true
	}
	return c.Cancelled != 0 && c.Cancelled < at
}

// dispatched reports whether the answer was complete on the wire.
func (c *Case) dispatched() bool { return c.answered }

// ownDispatched reports whether it was, on the call's own response.
func (c *Case) ownDispatched() bool { return c.onOwn }

// unseen reports whether the response could not have been seen: only the other direction was captured.
func (c *Case) unseen() bool { return c.Conn.OneSided && c.HeadAt < 0 }

// closedByClient reports whether the client ended the response before its framing was complete.
func (c *Case) closedByClient() bool {
	if c.unseen() {
		return false
	}
	switch c.End().Kind {
	case capture.EndClean, capture.EndOpen, "":
		return false
	}
	return c.End().By == "client"
}

// closedAfterAnswer reports whether the client closed once its answer had been dispatched, and how long after.
func (c *Case) closedAfterAnswer() (time.Duration, bool) {
	if !c.closedByClient() || !c.ownDispatched() || c.answerAt > c.End().At {
		return 0, false
	}
	return c.End().At - c.answerAt, true
}

// closedBeforeAnswer reports whether the client closed while it still lacked its answer.
func (c *Case) closedBeforeAnswer() bool {
	if !c.closedByClient() {
		return false
	}
	_, after := c.closedAfterAnswer()
	return !after && !(c.dispatched() && !c.onOwn && c.answerAt <= c.End().At)
}

// consumed reports whether a client that closed after its answer had taken it: at once, or after it acted on it.
func (a *Analyzer) consumed(c *Case) bool {
	wait, ok := c.closedAfterAnswer()
	if !ok {
		return false
	}
	return wait <= early+c.rtt() || a.actedOn(c, c.Answer())
}

// nextMessage returns the client's next message of that session after the moment t; nil: none.
func (c *Case) nextMessage(t capture.Instant) *Case {
	cases := c.Group.Cases
	lo, hi := 0, len(cases)
	for lo < hi {
		if mid := (lo + hi) / 2; cases[mid].Start > t {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	for ; lo < len(cases); lo++ {
		if n := cases[lo]; n != c && n.HasRequest && n.HopOf == nil {
			return n
		}
	}
	return nil
}
