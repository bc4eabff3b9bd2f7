package analyze

var messageAfterAnswer = Rule{
	Code: "message-after-answer", Severity: Warn,
	Title:  "A message followed the final answer on the same stream",
	Text:   "The answer should end the stream. A client that returns on the answer never reads what follows.",
	Source: "MCP transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.ownDispatched() || len(c.Answers()) != 1 || c.method() == "subscriptions/listen" || !c.sse {
			return nil
		}
		if m := c.afterAnswer; m != nil {
			return one(about(c, m.End, m.At, "%s followed the answer to %s on its stream.", quote(m.Method), c.name()))
		}
		return nil
	},
}
