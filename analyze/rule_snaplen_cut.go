package analyze

import "fmt"

var snaplenCut = Rule{
	Code: "snaplen-cut", Severity: Info,
	Title:  "The capture kept only the beginning of each packet",
	Text:   "Record with tcpdump -s 0. With cut packets no body can be judged.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		n := a.Quality.SnaplenCutPackets
		if n == 0 {
			return nil
		}
		return one(Finding{Offset: -1, At: -1, Confidence: "high", Severity: info, Message: fmt.Sprintf("%s were cut by the capture's snap length; record with -s 0.", plural(n, "packet"))})
	},
}
