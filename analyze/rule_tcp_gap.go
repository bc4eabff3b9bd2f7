package analyze

import "fmt"

var tcpGap = Rule{
	Code: "tcp-gap", Severity: Info,
	Title:  "Bytes are missing from the capture",
	Text:   "The recorder lost packets, or started late. What rests on these bytes is not said, or said with less confidence. See docs/capturing.md.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		var holed []*Case
		for c := range a.each(a.cases) {
			if c.holed && !c.R().Cut || c.Conn.Gaps > 0 {
				holed = append(holed, c)
			}
		}
		if a.Quality.TCPGaps == 0 && len(holed) == 0 {
			return nil
		}
		f := Finding{Cases: holed, Offset: -1, At: -1, Confidence: "high", Severity: info,
			Message: fmt.Sprintf("%s (%s) are missing from the capture; they touch %s.", plural(a.Quality.TCPGaps, "run")+" of bytes", plural(int(a.Quality.GapBytes), "byte"), plural(len(holed), "exchange"))}
		return one(f)
	},
}
