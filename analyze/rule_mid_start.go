package analyze

import (
	"fmt"
)

var midStart = Rule{
	Code: "mid-start", Severity: Info,
	Title:  "A connection was already open when the capture began",
	Text:   "What it carried before is not known: a first attempt may be missing, so a re-issue may look like a first call.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		n := a.Quality.MidStartConnections
		if n == 0 {
			return nil
		}
		var cs []*Case
		for c := range a.each(a.cases) {
			if c.Conn.MidStart {
				cs = append(cs, c)
			}
		}
		return one(Finding{Cases: cs, Offset: -1, At: -1, Confidence: "high", Severity: info, Message: fmt.Sprintf("%s had begun before the capture.", plural(n, "connection"))})
	},
}
