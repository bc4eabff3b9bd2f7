package report

import (
	"fmt"

	"mcptrace/analyze"
	"mcptrace/replay"
)

// markOf says behind the name of a policy that it models a recorded client.
func (w *writer) markOf(policy string) string {
	mark := ""
	for _, m := range w.models {
		switch {
		case m.Policy.Name != policy:
		case m.Sure():
			return " (the recorded client)"
		default:
			mark = " (perhaps the recorded client)"
		}
	}
	return mark
}

// recordedClients says which clients were recognised, and where they did otherwise than their models.
func (w *writer) recordedClients() []block {
	var out []block
	for _, m := range w.models {
		out = append(out, block{Text: modelWords(m)})
		g := &grid{Caption: "Where the recorded client did otherwise than " + m.Policy.Name, Head: []string{"exchange", "call", "what differs"}}
		n := 0
		for _, c := range m.Cases {
			s := contrast(w.a, c, w.replay[c])
			if s == "" {
				continue
			}
			if n++; n <= maxGridRows {
				g.add(ref(c), words(c.Name()), words(s))
			}
		}
		if n > 0 {
			out = append(out, block{Table: g})
		}
		if n > maxGridRows {
			out = append(out, left(n-maxGridRows, "exchanges"))
		}
	}
	return out
}

// modelWords says what a client was told by.
func modelWords(m analyze.Model) string {
	n := analyze.Count(len(m.Cases), "call")
	if m.Sure() {
		return fmt.Sprintf("%s models the client of %s, told by %s.", m.Policy.Name, n, m.Sign)
	}
	return fmt.Sprintf("%s perhaps models the client of %s, told by %s alone: %s sends this too.", m.Policy.Name, n, m.Sign, m.Sign.Shared)
}

// contrast says how the client of c did otherwise than its model, by what that makes of c; "" where it did not, the model
// was not played or the client is not known.
func contrast(a *analyze.Analyzer, c *analyze.Case, outs []replay.Outcome) string {
	r, ok := c.Recognise()
	for _, o := range outs {
		if ok && o.Policy == r.Policy.Name {
			return a.Contrast(c, o)
		}
	}
	return ""
}
