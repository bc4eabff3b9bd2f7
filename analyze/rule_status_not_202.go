package analyze

var statusNot202 = Rule{
	Code: "status-not-202", Severity: Warn,
	Title:  "A notification was not answered with a bare 202",
	Text:   "A notification or a response that is accepted must get 202 and no body. Some clients take another answer for an error.",
	Source: "MCP transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "POST" || c.Transport() == "http+sse" || len(c.R().Calls) == 0 || c.isCall() || c.HTTP.Status < 200 || c.HTTP.Status > 299 {
			return nil
		}
		if c.HTTP.Status == 202 && c.R().Wire == 0 {
			return nil
		}
		body := "no body"
		if c.R().Wire > 0 {
			body = plural(int(c.R().Wire), "body byte")
		}
		return one(about(c, -1, c.HeadAt, "%s was answered %d with %s instead of 202 and none.", c.name(), c.HTTP.Status, body))
	},
}
