package analyze

import (
	"bytes"
	"slices"
)

// repeats are what more than one request asks for, in order. Most ask for what no other does: they can be nobody's second
// attempt and no leg of a call through a gateway.
type repeats []wish

// findRepeats goes through the exchanges once.
func (a *Analyzer) findRepeats() {
	all := make([]wish, 0, len(a.cases))
	for c := range a.each(a.cases) {
		if c.asks {
			all = append(all, c.ask)
		}
	}
	slices.SortFunc(all, wish.compare)
	a.repeats = nil
	for i, w := range all {
		if i > 0 && w == all[i-1] && (i == 1 || w != all[i-2]) {
			a.repeats = append(a.repeats, w)
		}
	}
}

// has reports whether another exchange asks for the same as c.
func (r repeats) has(c *Case) bool {
	if !c.asks {
		return false
	}
	_, ok := slices.BinarySearchFunc(r, c.ask, wish.compare)
	return ok
}

func (w wish) compare(o wish) int { return bytes.Compare(w[:], o[:]) }
