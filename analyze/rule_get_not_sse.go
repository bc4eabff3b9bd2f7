package analyze

var getNotSSE = Rule{
	Code: "get-not-sse", Severity: Warn,
	Title:  "A GET for a stream got something else",
	Text:   "A GET must be answered with an event stream or 405. Clients that take any 200 for a stream reconnect in a loop.",
	Source: "MCP transports, Listening for Messages from the Server",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "GET" || c.HTTP.Status != 200 || c.sse || !c.Header.AcceptsSSE {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "A GET for a stream was answered 200 with the media type %s.", quote(c.HTTP.ContentType)))
	},
}
