package analyze

var sessionExpired404 = Rule{
	Code: "session-expired-404", Severity: Info,
	Title:  "The server no longer knew the session",
	Text:   "A request with a session id was answered 404: the session has ended or lives on another instance. The client must start over with initialize.",
	Source: "MCP transports, Session Management",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Status != 404 || c.Header.Session == "" || c.Modern {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "%s was answered 404: the server did not know session %s.", c.name(), c.Group.Label))
	},
}
