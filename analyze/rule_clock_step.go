package analyze

import (
	"cmp"
	"slices"
	"time"
)

// stepFrom is by how much the recorder's clock must go back to be worth a word: packets of several interfaces may stand
// a little out of order.
const stepFrom = time.Second

var clockStep = Rule{
	Code: "clock-step", Severity: Info,
	Title:  "The recorder's clock went back",
	Text:   "Packets that were recorded later bear earlier times. Durations across this moment are wrong, and what came after what is not sure.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		if a.inPacketOrder() {
			return nil
		}
		cs := slices.Clone(a.cases)
		slices.SortStableFunc(cs, func(x, y *Case) int {
			return cmp.Or(cmp.Compare(x.Conn.Input, y.Conn.Input), cmp.Compare(x.First, y.First))
		})
		for i := 1; i < len(cs); i++ {
			p, c := cs[i-1], cs[i]
			if p.Conn.Input != c.Conn.Input || p.First == 0 || p.First == c.First || p.Start.Sub(c.Start) < stepFrom {
				continue
			}
			f := about(c, -1, 0, "Packet %d bears a time %s before that of packet %d.", c.First, dur(p.Start.Sub(c.Start)), p.First)
			f.Cases = append(f.Cases, p)
			return one(f)
		}
		return nil
	},
}

// inPacketOrder reports whether the exchanges, which are in order of time, are in that of their first packets too.
func (a *Analyzer) inPacketOrder() bool {
	last := map[int]int64{} // by input
	for c := range a.each(a.cases) {
		if c.First < last[c.Conn.Input] {
			return false
		}
		last[c.Conn.Input] = c.First
	}
	return true
}
