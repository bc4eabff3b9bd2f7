package analyze

var lostNotReissued = Rule{
	Code: "lost-not-reissued", Severity: Info,
	Title:  "A lost call was not issued again",
	Text:   "Since 2026-07-28 the client must issue a lost call again. The rule stands in the changelog only, so this is a hint.",
	Source: "MCP 2026-07-28 changelog, major change 9",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.Proto() == "stdio" || !c.Modern || c.RepeatedBy != nil || c.HopOf != nil || c.closedByClient() || c.holed || c.fate(c.Answer()) != "lost" || c.HTTP.Status >= 400 {
			return nil
		}
		if a.Last.Sub(c.at(max(0, c.End().At))) < soon {
			return nil // the capture ends too soon to tell
		}
		return one(about(c, -1, c.End().At, "%s was lost and not issued again while the capture ran.", c.name()))
	},
}
