package analyze

import (
	"fmt"
	"slices"
	"time"
)

// handshakeFrom is the sum of handshakes from which on it is worth a word.
const handshakeFrom = time.Second

var handshakeCost = Rule{
	Code: "handshake-cost", Severity: Info,
	Title:  "What the handshakes cost, all sessions together",
	Text:   "initialize and notifications/initialized before the first useful request, with what the client waited for a stream that was held open. The modern era has no handshake.",
	Source: "timing; MCP 2026-07-28 changelog (initialize is removed)",
	All: func(a *Analyzer) []Finding {
		var all []time.Duration
		var sum time.Duration
		f := Finding{Offset: -1, At: -1, Confidence: "high"}
		for s := range a.eachSession() {
			if s.Handshake >= 0 {
				all, sum = append(all, s.Handshake), sum+s.Handshake
				f.Cases = append(f.Cases, s.opening())
			}
		}
		if sum < handshakeFrom {
			return nil
		}
		slices.Sort(all)
		if len(all) == 1 {
			f.Message = fmt.Sprintf("The handshake of the one session took %s.", dur(sum))
			return one(f)
		}
		f.Message = fmt.Sprintf("The handshakes of %s took %s in all (p50 %s, p95 %s, worst %s).", plural(len(all), "session"), dur(sum),
			dur(Percentile(all, 50)), dur(Percentile(all, 95)), dur(all[len(all)-1]))
		return one(f)
	},
}
