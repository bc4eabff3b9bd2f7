package analyze

var reissueSameID = Rule{
	Code: "reissue-same-id", Severity: Error,
	Title:  "A call was issued again with the id of the first attempt",
	Text:   "A re-issue must have a new id. With the old one the server may drop it as a duplicate, or answer the wrong attempt.",
	Source: "MCP 2026-07-28 changelog, major change 9; basic protocol, Requests",
	Each: func(c *Case, a *Analyzer) []Finding {
		l := c.Reissue
		if l == nil || !l.SameID || l.Finding == "retry-after-status" || l.Finding == "reissue-after-session-404" {
			return nil
		}
		f := about(c, -1, 0, "%s was issued again with the id of exchange %s.", c.name(), id(l.Of))
		f.Cases = append(f.Cases, l.Of)
		f.Confidence = l.Confidence
		return one(f)
	},
}
