package analyze

var resumedAnswer = Rule{
	Code: "resumed-answer", Severity: Info,
	Title:  "The answer came on a resumed stream",
	Text:   "The call's own stream ended first; the answer was redelivered on a GET with Last-Event-ID. The call is settled.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		g := c.Answer().Stream
		if g == nil || g.Header.LastEventID == "" || !c.dispatched() {
			return nil
		}
		out := dur(c.answerAt - max(0, c.End().At))
		f := about(c, c.Answer().End, c.answerAt, "The answer to %s came on the resumed stream of exchange %s, %s after its own stream had ended.", c.name(), id(g), out)
		f.Cases = append(f.Cases, g)
		return one(f)
	},
}
