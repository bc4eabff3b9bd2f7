package analyze

import (
	"net/netip"
	"time"

	"mcptrace/capture"
)

// hopSlack is by how much an inner leg may start before the outer one is complete at the recorder, or end after it.
const hopSlack = 5 * time.Millisecond

// maxOpenEqual bounds how many equal calls in flight are looked at for the outer leg of one more: the newest.
const maxOpenEqual = 512

// serverPair is the server of an outer leg and that of the inner one.
type serverPair struct{ outer, inner netip.AddrPort }

// findHops joins the legs of one call through a gateway that was captured on both sides: equal method and parameters
// (ids and bytes may differ), another connection to another address, the inner leg nested in the outer in time, and the
// same answer. A gateway's own error on the outer leg does not undo it.
//
// Handshakes and lists look alike from every client, so they are joined only where the gateway is plain from the
// addresses or a call with a name of its own went the same way.
func (a *Analyzer) findHops() {
	ways := map[serverPair]bool{}
	a.joinHops(func(outer, inner *Case) bool {
		if !outer.specific() && !forwards(outer, inner) || !a.isHop(outer, inner, forwards(outer, inner)) {
			return false
		}
		ways[serverPair{outer.Conn.Server, inner.Conn.Server}] = true
		return true
	})
	a.joinHops(func(outer, inner *Case) bool {
		return ways[serverPair{outer.Conn.Server, inner.Conn.Server}] && a.isHop(outer, inner, true)
	})
}

// joinHops looks for the outer leg of each exchange among the equal ones that were open when it began.
func (a *Analyzer) joinHops(isHop func(outer, inner *Case) bool) {
	open := map[wish][]*Case{}
	for c := range a.each(a.cases) {
		if c.HTTP.Method != "POST" || !a.repeats.has(c) {
			continue
		}
		kept := open[c.ask][:0]
		for _, o := range open[c.ask] {
			if o.endOrLast(a) >= c.Start {
				kept = append(kept, o)
			}
		}
		kept = kept[max(0, len(kept)-maxOpenEqual):]
		for _, o := range kept {
			if c.HopOf == nil && isHop(o, c) {
				c.tie().HopOf = o
				o.tie().Hops = append(o.Hops, c)
			}
		}
		open[c.ask] = append(kept, c)
	}
}

// specific reports whether a call names what it wants: a tool, a prompt or a resource.
func (c *Case) specific() bool { return c.named }

// forwards reports whether the addresses show a gateway: the inner leg comes from the host that the outer one went to,
// and that is another host than the client's.
func forwards(outer, inner *Case) bool {
	host := inner.Conn.Client.Addr()
	return host == outer.Conn.Server.Addr() && host != outer.Conn.Client.Addr()
}

// isHop reports whether inner is the next leg of outer. plain: that calls go this way is known, from the addresses or from
// another call.
func (a *Analyzer) isHop(outer, inner *Case, plain bool) bool {
	if outer.Conn == inner.Conn || outer.kind != inner.kind {
		return false
	}
	for o := outer; o != nil; o = o.HopOf {
		if o.Conn.Server == inner.Conn.Server {
			return false // a call does not come back to where it was
		}
	}
	for _, h := range outer.Hops {
		if h.Conn.Server == inner.Conn.Server {
			return false // each next hop is taken once
		}
	}
	if inner.Start > outer.endOrLast(a) || !sameHost(outer, inner) {
		return false
	}
	if gatewayError(outer) {
		return true
	}
	if answered := outer.answeredAt(); answered != 0 && max(inner.answeredAt(), inner.Start) > answered+capture.Instant(hopSlack) {
		return false // the outer leg had its answer before
	}
	if !sameAnswer(outer, inner) {
		return false
	}
	// Where no gateway shows, two clients may just have asked for the same: both legs must have been answered, and the inner be over first.
	if !plain {
		return inner.answeredAt() != 0 && outer.answeredAt() != 0 && inner.endOrLast(a) <= outer.endOrLast(a)+capture.Instant(hopSlack)
	}
	return true
}

// sameHost reports whether the inner leg may have been sent by the host that received the outer one: the same address,
// or any where the addresses are translated between the two captures.
func sameHost(outer, inner *Case) bool {
	if inner.Conn.Client.Addr() == outer.Conn.Server.Addr() {
		return true
	}
	// A third host, unless it is plainly another client of its own: the outer client itself does not forward to itself.
	return inner.Conn.Client.Addr() != outer.Conn.Client.Addr()
}

func gatewayError(c *Case) bool { return c.HTTP.Status >= 502 && c.HTTP.Status <= 504 }

// sameAnswer reports whether both legs got the same answer, or neither got one.
func sameAnswer(x, y *Case) bool {
	if len(x.Answers()) != len(y.Answers()) {
		return false
	}
	for i := range x.Answers() {
		p, q := &x.Answers()[i], &y.Answers()[i]
		if p.Message != nil && q.Message != nil && p.Level == capture.LevelDispatched && q.Level == capture.LevelDispatched && p.Message.Sum.Same(q.Message.Sum) < 0 {
			return false
		}
	}
	return true
}

func (c *Case) endOrLast(a *Analyzer) capture.Instant {
	if o := c.over(); o != 0 {
		return o
	}
	return a.Last
}

func (c *Case) answeredAt() capture.Instant {
	if c.alone() {
		if c.answerAt < 0 {
			return 0
		}
		return c.at(c.answerAt)
	}
	for i := range c.Answers() {
		if c.Answers()[i].At >= 0 {
			return c.at(c.Answers()[i].At)
		}
	}
	return 0
}
