package analyze

var resumeRefused = Rule{
	Code: "resume-refused", Severity: Warn,
	Title:  "A resumption was refused",
	Text:   "The server may refuse to redeliver. The call whose stream broke stays without its answer.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || c.HTTP.Status < 400 {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "A GET with Last-Event-ID was answered %d.", c.HTTP.Status))
	},
}
