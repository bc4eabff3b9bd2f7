package analyze

import (
	"cmp"
	"slices"
	"time"
)

// Latency is how long the calls of one method, or of one tool, prompt or resource under it, took to be answered: from
// the last byte of the request to the last byte of the answer.
type Latency struct {
	Method, Name  string // Name "" stands for calls without one
	Calls         int    // all calls, first hops only
	Answered      int
	Errors        int // of the answered, with an error or a tool's failure
	P50, P95, Max time.Duration
}

// maxLatencies bounds the names told apart under one method; resources may be endless.
const maxLatencies = 1000

// Latencies returns the latency per method and name, the most called first. Calls of a batch and subscriptions, which
// are answered when they end, are left out.
func (a *Analyzer) Latencies() []Latency {
	type key struct{ method, name string }
	by := map[key]*Latency{}
	times := map[*Latency][]time.Duration{}
	var order []*Latency
	for c := range a.each(a.cases) {
		m := c.method()
		if m == "" || !c.isCall() || c.HopOf != nil || !c.HasRequest || c.listens() {
			continue
		}
		k := key{m, c.callName(a)}
		if by[k] == nil && len(order) >= maxLatencies {
			k.name = "(others)"
		}
		l := by[k]
		if l == nil {
			l = &Latency{Method: k.method, Name: k.name}
			by[k] = l
			order = append(order, l)
		}
		l.Calls++
		if c.dispatched() {
			l.Answered++
			times[l] = append(times[l], max(0, c.answerAt-c.RequestEnd))
			if c.unwell {
				l.Errors++
			}
		}
	}
	out := make([]Latency, 0, len(order))
	for _, l := range order {
		ts := times[l]
		slices.Sort(ts)
		l.P50, l.P95, l.Max = Percentile(ts, 50), Percentile(ts, 95), Percentile(ts, 100)
		out = append(out, *l)
	}
	slices.SortStableFunc(out, func(x, y Latency) int { return cmp.Compare(y.Calls, x.Calls) })
	return out
}
