package analyze

import "fmt"

var oneDirection = Rule{
	Code: "one-direction", Severity: Info,
	Title:  "Only one direction of a connection was captured",
	Text:   "Nothing can be said about what the other side had received. Capture where both directions pass.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		var cs []*Case
		for c := range a.each(a.cases) {
			if c.Conn.OneSided {
				cs = append(cs, c)
			}
		}
		if len(cs) == 0 {
			return nil
		}
		return one(Finding{Cases: cs, Offset: -1, At: -1, Confidence: "high", Severity: info, Message: fmt.Sprintf("Of %s only one direction was captured.", plural(len(cs), "exchange"))})
	},
}
