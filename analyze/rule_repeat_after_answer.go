package analyze

var repeatAfterAnswer = Rule{
	Code: "repeat-after-answer", Severity: Info, Optional: true,
	Title:  "An equal call after a clean answer",
	Text:   "No fault of anyone's: clients ask the same again. Shown on request, to see how often.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		last := map[callKey]*Case{}
		var fs []Finding
		for c := range a.each(a.cases) {
			if !c.alone() || c.HopOf != nil || c.verb == "ping" {
				continue
			}
			key := callKey{where: c.endpoint(), ask: c.ask, session: c.Group}
			if p := last[key]; p != nil && c.Reissue == nil && p.dispatched() && p.Break == nil && p.at(p.answerAt) < c.Start && c.Start.Sub(p.at(p.answerAt)) <= a.opt.Window {
				f := about(c, -1, 0, "%s repeats the call of exchange %s, which had been answered.", c.name(), id(p))
				f.Cases = append(f.Cases, p)
				fs = append(fs, f)
			}
			last[key] = c
		}
		return fs
	},
}
