package analyze

var answerThenBreak = Rule{
	Code: "answer-then-break", Severity: Warn,
	Title:  "The stream broke after the answer had been dispatched",
	Text:   "The answer was complete before the stream broke, so the call is settled. A client that throws the body away and issues the call again runs it twice.",
	Source: "MCP transports: the final response should end the stream",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Break == nil || c.Break.Where != AfterAnswer || c.End().By == "client" {
			return nil
		}
		return one(about(c, c.Answer().End, c.End().At, "%s was answered %s before the stream %s; %s.",
			c.name(), dur(c.End().At-c.answerAt), c.howEnded(), c.reached()))
	},
}
