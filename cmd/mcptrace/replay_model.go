package main

import (
	"cmp"
	"slices"

	"mcptrace/analyze"
	"mcptrace/replay"
)

// model is the policy that models the recorded client.
type model struct {
	replay.Recognition
	known   bool
	added   bool   // it is played although nobody asked for it
	differs string // how the recorded client did otherwise, in a sentence; "": not as far as is known
}

func modelOf(c *analyze.Case) model {
	r, ok := c.Recognise()
	return model{Recognition: r, known: ok}
}

func (m *model) is(policy string) bool { return m.known && policy == m.Policy.Name }

// first returns ps with the model first, if it is among them.
func (m *model) first(ps []replay.Policy) []replay.Policy {
	k := slices.IndexFunc(ps, func(p replay.Policy) bool { return m.is(p.Name) })
	if k < 0 {
		return ps
	}
	return slices.Concat(ps[k:k+1], ps[:k], ps[k+1:])
}

// mark says behind the name of a policy that it is the model.
func (m *model) mark(policy string) string {
	switch {
	case !m.is(policy):
		return ""
	case m.Sure():
		return " (the recorded client)"
	}
	return " (perhaps the recorded client)"
}

// settle works out what is known only when all exchanges have been read.
func (p *play) settle(a *analyze.Analyzer, c *analyze.Case) {
	if p.c == nil { // it was played as it came, before the client had given its name
		p.c, p.model = c, modelOf(c)
		p.ps = p.model.first(p.ps)
	}
	p.recorded = append(p.recorded, a.Outcomes(c)...)
	place := func(policy string) int {
		return slices.IndexFunc(p.ps, func(x replay.Policy) bool { return x.Name == policy })
	}
	byPlace := func(x, y replay.Outcome) int { return cmp.Compare(place(x.Policy), place(y.Policy)) }
	slices.SortStableFunc(p.recorded, byPlace)
	slices.SortStableFunc(p.cuts, byPlace)
	slices.SortStableFunc(p.swept, func(x, y replay.Swept) int { return cmp.Compare(place(x.Policy.Name), place(y.Policy.Name)) })
	if len(p.recorded) > 0 && p.model.is(p.recorded[0].Policy) {
		p.model.differs = a.Contrast(c, p.recorded[0])
	}
}
