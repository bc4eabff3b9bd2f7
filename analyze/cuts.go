package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/capture"
)

// Clock says from when the time to a cut is counted.
type Clock string

// The clocks.
const (
	SinceByte    Clock = "after the last byte"
	SinceEvent   Clock = "after the last event" // comments do not count
	SinceRequest Clock = "after the request"
	SinceIdle    Clock = "after the connection was last used"
)

// Cut is one habit of whoever ends streams at one endpoint: again and again after the same time on some clock.
type Cut struct {
	Kind         CutKind
	Server, Path string
	Clock        Clock
	Typical      time.Duration // the median
	Spread       time.Duration // half the distance of the extremes
	Of           int           // ends of that kind at that endpoint
	Commented    int           // of the cases, streams that carried comments
	Outlived     int           // streams there that lived longer with less silence between
	Cases        []*Case       // in order of their time to the cut
	Confidence   string        // high, medium, low

	where capture.Endpoint
}

// CutKind says who or what seems to end the streams.
type CutKind string

// The kinds.
const (
	IdleLimit      CutKind = "idle limit"        // something in between, or the server, ends what is silent
	DurationLimit  CutKind = "limit on duration" // … ends what lasts, silent or not
	ClientTimeout  CutKind = "client timeout"    // the client gives up
	GatewayTimeout CutKind = "gateway timeout"   // a gateway answers 504
	KeepAliveLimit CutKind = "keep-alive limit"  // the server ends connections that nobody uses, while a request is on its way
)

// The least number of equal times that make a habit, and how far they may lie apart: ±2 %.
const (
	habitFrom   = 3
	habitSpread = 0.04
	cutFrom     = time.Second // shorter times are an effect of the break, not of a limit
)

// String tells the habit in one line, with its number: "17 of 19 breaks 60.0 ± 0.1 s after the last byte".
func (k *Cut) String() string {
	s := fmt.Sprintf("%d of %d %s %s %s", len(k.Cases), k.Of, cutNouns[k.Kind], spreadWords(k.Typical, k.Spread), k.Clock)
	if k.Kind == IdleLimit {
		switch {
		case k.Commented == 0 && k.Outlived > 0:
			s += fmt.Sprintf(", none on streams with comments; %s lived longer", plural(k.Outlived, "busier stream"))
		case k.Commented == 0:
			s += ", none on streams with comments"
		case k.Clock == SinceEvent:
			s += "; comments did not help"
		}
	}
	return s
}

var cutNouns = map[CutKind]string{IdleLimit: "breaks", DurationLimit: "breaks", ClientTimeout: "closes by the client", GatewayTimeout: "answers 504", KeepAliveLimit: "resets of idle connections"}

// spreadWords writes a time with its spread: 60.0 ± 0.1 s.
func spreadWords(d, spread time.Duration) string {
	if d < time.Second {
		return fmt.Sprintf("%.0f ± %.0f ms", float64(d)/1e6, float64(spread)/1e6)
	}
	return fmt.Sprintf("%.1f ± %.1f s", d.Seconds(), spread.Seconds())
}

// place is where a habit is looked for.
type place struct {
	where capture.Endpoint
	kind  CutKind
}

// findCuts looks for habits, endpoint by endpoint.
func (a *Analyzer) findCuts() {
	by := map[place][]*Case{}
	var order []place
	a.noteIdle()
	for c := range a.each(a.cases) {
		kind := c.cutKind()
		if kind == "" || c.HopOf != nil {
			continue
		}
		p := place{c.endpoint(), kind}
		if by[p] == nil {
			order = append(order, p)
		}
		by[p] = append(by[p], c)
	}
	for _, p := range order {
		a.Cuts = append(a.Cuts, a.habits(p, by[p])...)
	}
	a.countOutlived()
	slices.SortStableFunc(a.Cuts, func(x, y *Cut) int { return cmp.Compare(len(y.Cases), len(x.Cases)) })
}

// cutKind sorts an exchange by who ended it, "" where that is nobody's habit: the end was in order.
func (c *Case) cutKind() CutKind {
	switch {
	case c.Proto() == "stdio":
		return ""
	case c.HTTP.Status == 504:
		return GatewayTimeout
	case c.afterIdle != 0 && c.HeadAt < 0 && c.Break != nil && c.End().By != "client" && c.End().At < cutFrom:
		return KeepAliveLimit
	case c.closedByClient() && c.isCall() && !c.dispatched():
		return ClientTimeout
	case c.Break != nil && c.End().By != "client":
		return IdleLimit
	case c.endedUnanswered():
		return IdleLimit
	}
	return ""
}

// endedUnanswered reports whether a stream ended in order although something was still to come on it.
func (c *Case) endedUnanswered() bool {
	if !c.sse || c.HTTP.Status != 200 || c.End().By == "client" || c.pollClose() {
		return false
	}
	switch c.End().Kind {
	case capture.EndClean, capture.EndCloseDelimited:
		return c.listens() && c.HTTP.Method == "GET" || c.isCall() && !c.answered && c.Answer().Level == capture.LevelNone
	}
	return false
}

// on returns the time to the end of c on a clock; ok is false where that clock says nothing.
func (c *Case) on(clock Clock) (d time.Duration, ok bool) {
	switch clock {
	case SinceByte:
		d = c.End().At - max(c.LastByte, c.HeadAt, c.RequestEnd)
	case SinceEvent:
		if c.R().LastEvent < 0 || c.R().Comments == 0 {
			return 0, false
		}
		d = c.End().At - c.R().LastEvent
	case SinceRequest:
		d = c.End().At - c.RequestEnd
		if c.HTTP.Status == 504 {
			d = c.HeadAt - c.RequestEnd
		}
	case SinceIdle:
		d = c.afterIdle
	}
	return d, d > cutFrom
}

// clocks are those on which each kind is looked for, the likeliest first.
var clocks = map[CutKind][]Clock{IdleLimit: {SinceByte, SinceEvent, SinceRequest}, ClientTimeout: {SinceRequest}, GatewayTimeout: {SinceRequest}, KeepAliveLimit: {SinceIdle}}

// maxHabits bounds the habits told of one endpoint.
const maxHabits = 4

// habits finds the times that come again and again among the ends of one place.
func (a *Analyzer) habits(p place, cs []*Case) []*Cut {
	var out []*Cut
	left := cs
	for len(out) < maxHabits && len(left) >= habitFrom {
		k := a.best(p, left)
		if k == nil || len(k.Cases)*3 < len(cs) {
			break
		}
		k.Of = len(cs)
		out = append(out, k)
		left = without(left, k.Cases)
	}
	return out
}

// best returns the clock and the time on which most ends agree, of several the closest; nil: none.
func (a *Analyzer) best(p place, cs []*Case) *Cut {
	var top *Cut
	for _, clock := range clocks[p.kind] {
		k := a.densest(cs, clock)
		if k == nil || top != nil && (len(k.Cases) < len(top.Cases) || len(k.Cases) == len(top.Cases) && k.Spread*2 >= top.Spread) {
			continue
		}
		top = k
	}
	if top == nil {
		return nil
	}
	top.where, top.Server, top.Path, top.Kind, top.Confidence = p.where, p.where.Server.String(), p.where.Path, p.kind, "medium"
	if top.Clock == SinceRequest && p.kind == IdleLimit {
		top.Kind = DurationLimit
	}
	for c := range a.each(top.Cases) {
		if c.R().Comments > 0 {
			top.Commented++
		}
	}
	if len(top.Cases) >= 2*habitFrom {
		top.Confidence = "high"
	}
	return top
}

// densest returns the largest set of ends that lie within habitSpread of each other on a clock, nil where it is small.
func (a *Analyzer) densest(cs []*Case, clock Clock) *Cut {
	type end struct {
		c *Case
		d time.Duration
	}
	var ends []end
	for c := range a.each(cs) {
		if d, ok := c.on(clock); ok {
			ends = append(ends, end{c, d})
		}
	}
	slices.SortStableFunc(ends, func(x, y end) int { return cmp.Compare(x.d, y.d) })
	from, to := 0, 0
	for i, j := 0, 0; j < len(ends); j++ {
		for float64(ends[j].d) > float64(ends[i].d)*(1+habitSpread) {
			i++
		}
		if j+1-i > to-from {
			from, to = i, j+1
		}
	}
	if to-from < habitFrom {
		return nil
	}
	k := &Cut{Clock: clock, Typical: ends[(from+to)/2].d, Spread: (ends[to-1].d - ends[from].d) / 2}
	for _, e := range ends[from:to] {
		k.Cases = append(k.Cases, e.c)
	}
	return k
}

func without(cs, drop []*Case) []*Case {
	gone := make(map[*Case]bool, len(drop))
	for _, c := range drop {
		gone[c] = true
	}
	var out []*Case
	for _, c := range cs {
		if !gone[c] {
			out = append(out, c)
		}
	}
	return out
}

// countOutlived counts for each idle limit the streams at that endpoint that lived longer than it and never fell silent
// for so long: they speak for the limit being one on silence.
func (a *Analyzer) countOutlived() {
	by := map[capture.Endpoint][]*Cut{}
	for _, k := range a.Cuts {
		if k.Kind == IdleLimit {
			by[k.where] = append(by[k.where], k)
		}
	}
	if len(by) == 0 {
		return
	}
	for c := range a.each(a.cases) {
		for _, k := range by[c.endpoint()] {
			if c.sse && c.LastByte > k.Typical && c.R().MaxGap < k.Typical {
				k.Outlived++
			}
		}
	}
}

// noteIdle notes how long the connection of an exchange had been idle before it, where that is longer than cutFrom.
func (a *Analyzer) noteIdle() {
	last := map[*capture.Conn]capture.Instant{}
	for c := range a.each(a.cases) {
		if c.Stream != 0 || c.Proto() == "stdio" {
			continue
		}
		if t, ok := last[c.Conn]; ok && c.Start.Sub(t) > cutFrom {
			c.tie().afterIdle = c.Start.Sub(t)
		}
		last[c.Conn] = max(last[c.Conn], c.endOrLast(a))
	}
}
