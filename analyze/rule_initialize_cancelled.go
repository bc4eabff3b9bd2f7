package analyze

var initializeCancelled = Rule{
	Code: "initialize-cancelled", Severity: Error,
	Title:  "The client cancelled initialize",
	Text:   "Clients must not: the server may have made a session that nobody will use or delete.",
	Source: "MCP cancellation, Behavior Requirements",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.cancels == nil || c.cancels.method() != "initialize" {
			return nil
		}
		f := about(c, -1, 0, "The client cancelled the initialize of exchange %s.", id(c.cancels))
		f.Cases = append(f.Cases, c.cancels)
		return one(f)
	},
}
