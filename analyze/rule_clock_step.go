package analyze

import (
	"cmp"
	"slices"
	"time"

	"mcptrace/capture"
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
		fs := a.firstPackets()
		slices.SortStableFunc(fs, func(x, y firstPacket) int { return cmp.Or(cmp.Compare(x.input, y.input), cmp.Compare(x.n, y.n)) })
		for i := 1; i < len(fs); i++ {
			p, c := fs[i-1], fs[i]
			if p.input != c.input || p.n == 0 || p.n == c.n || p.at.Sub(c.at) < stepFrom {
				continue
			}
			f := about(c.of, -1, 0, "Packet %d bears a time %s before that of packet %d.", c.n, dur(p.at.Sub(c.at)), p.n)
			f.Cases = append(f.Cases, p.of)
			return one(f)
		}
		return nil
	},
}

// firstPacket is that of an exchange.
type firstPacket struct {
	input int
	n     int64
	at    capture.Instant
	of    *Case
}

func (a *Analyzer) firstPackets() []firstPacket {
	var out []firstPacket
	for c := range a.each(a.cases) {
		out = append(out, firstPacket{c.Conn.Input, c.First, c.Start, c})
	}
	return out
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
