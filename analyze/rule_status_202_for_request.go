package analyze

var status202ForRequest = Rule{
	Code: "status-202-for-request", Severity: Error,
	Title:  "A call was answered with 202",
	Text:   "202 accepts notifications and responses. A call must be answered with JSON or a stream; most clients wait for nothing here.",
	Source: "MCP transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.HTTP.Status != 202 || c.Transport() == "http+sse" {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "%s was answered 202, which promises no answer.", c.name()))
	},
}
