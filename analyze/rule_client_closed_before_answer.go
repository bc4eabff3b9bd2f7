package analyze

var clientClosedBeforeAnswer = Rule{
	Code: "client-closed-before-answer", Severity: Warn,
	Title:  "The client closed before its answer",
	Text:   "Since 2026-07-28 closing the stream is the cancel of just this call. Before, it is not: the server may go on, and the call may run.",
	Source: "MCP cancellation, Transport-Specific Cancellation",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || !c.closedBeforeAnswer() || c.Transport() == "http+sse" {
			return nil
		}
		f := about(c, c.R().Decoded, c.End().At, "The client closed %s after sending %s, before any answer.", dur(c.End().At), c.name())
		switch {
		case c.ownDispatched():
			f.Message = "The client closed " + dur(c.End().At) + " after sending " + c.name() + "; its answer passed " + dur(c.answerAt-c.End().At) + " later and reached nobody."
		case c.Modern:
			f.Severity = info
			f.Message += " In this version that cancels the call."
		case c.Cancelled != 0 && c.Cancelled <= c.over():
			f.Message += " It had sent a note that cancels the call; whether it ran is not known."
		default:
			f.Message += " In this version that is no cancel: the call may have run."
		}
		return one(f)
	},
}
