package analyze

var eraFallback = Rule{
	Code: "era-fallback", Severity: Info,
	Title:  "A client tried the modern era first and fell back",
	Text:   "The first request cost a round trip, or a timeout, before the handshake of the older era began.",
	Source: "MCP 2026-07-28 versioning, Backward Compatibility with Initialization-Based Versions",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Story == nil {
			return nil
		}
		for i := range c.Story.Legs {
			l := &c.Story.Legs[i]
			if l.Case != c || l.Role != RoleEraFallback {
				continue
			}
			cost := c.Start.Sub(l.Of.Start)
			if c.dispatched() {
				cost = c.at(c.answerAt).Sub(l.Of.Start)
			}
			f := about(c, -1, 0, "%s failed (exchange %s); the client fell back to initialize, which was answered %s after the first request.", l.Of.name(), id(l.Of), dur(cost))
			f.Cases, f.Confidence = append(f.Cases, l.Of), l.Confidence
			return one(f)
		}
		return nil
	},
}
