package analyze

var answerThenClientClose = Rule{
	Code: "answer-then-client-close", Severity: Info,
	Title:  "The client closed the stream once it had its answer",
	Text:   "Normal for clients that return on the answer. A close that comes late is more likely a timeout: the answer may not have been read.",
	Source: "MCP transports: the answer, not the end of the stream, settles a call",
	Each: func(c *Case, a *Analyzer) []Finding {
		wait, ok := c.closedAfterAnswer()
		if !ok {
			return nil
		}
		f := about(c, c.Answer().End, c.End().At, "The client closed %s after the answer to %s.", dur(wait), c.name())
		if !a.consumed(c) {
			f.Message += " So late a close looks like a timeout: whether it had read the answer is not known."
			f.Confidence = "medium"
		}
		return one(f)
	},
}
