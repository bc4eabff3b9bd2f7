package analyze

var sessionRefusedDelete = Rule{
	Code: "session-refused-delete", Severity: Info,
	Title:  "The server does not let clients end sessions",
	Text:   "405 to a DELETE is allowed: the session ends by the server's own clock.",
	Source: "MCP 2025-03-26 to 2025-11-25 transports, Session Management item 5",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "DELETE" || c.HTTP.Status != 405 || c.Modern {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "The DELETE of session %s was answered 405.", c.Group.Label))
	},
}
