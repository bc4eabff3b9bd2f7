package analyze

var unknownMethodStatus = Rule{
	Code: "unknown-method-status", Severity: Warn,
	Title:  "An unknown method was not answered with 404",
	Text:   "Since 2026-07-28 the error -32601 travels with 404, unless a stream had been opened: gateways and clients of both eras go by it.",
	Source: "MCP 2026-07-28 transports, Protocol Version Header",
	Each: func(c *Case, a *Analyzer) []Finding {
		m := c.Answer().Message
		if !c.Modern || c.Transport() != "streamable-http" || m == nil || c.Answer().Kind != "error" || m.Result.Code != -32601 || c.HTTP.Status == 404 || c.sse || !c.dispatched() {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "%s is not known to the server, which answered %d.", c.name(), c.HTTP.Status))
	},
}
