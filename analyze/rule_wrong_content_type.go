package analyze

var wrongContentType = Rule{
	Code: "wrong-content-type", Severity: Error,
	Title:  "The answer has a media type of neither JSON nor an event stream",
	Text:   "A call must be answered with application/json or text/event-stream. A login page or a proxy's page looks like this.",
	Source: "MCP transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.HTTP.Status != 200 || c.sse || c.R().JSON || c.Transport() == "http+sse" || c.HeadAt < 0 {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "%s was answered 200 with the media type %s.", c.name(), quote(c.HTTP.ContentType)))
	},
}
