package analyze

var authChallenge = Rule{
	Code: "auth-challenge", Severity: Info,
	Title:  "The server asked for credentials",
	Text:   "The client's repeat after it is no re-issue.",
	Source: "MCP authorization; RFC 9110 section 15.5.2",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Status != 401 && c.HTTP.Status != 403 || !c.Header.Challenge && c.Header.Session != "" {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "%s was answered %d.", c.name(), c.HTTP.Status))
	},
}
