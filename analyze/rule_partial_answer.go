package analyze

import "mcptrace/capture"

var partialAnswer = Rule{
	Code: "partial-answer", Severity: Error,
	Title:  "The stream ended inside the answer",
	Text:   "The server had produced the answer, so the call ran, but the client cannot have it. Issuing it again runs it twice.",
	Source: "HTML 9.2.6 (a pending event is discarded), RFC 9112 section 8",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Answer().Level != capture.LevelPartial || len(c.Answers()) > 1 && c.Answer().Message != nil && c.Answer().Message.Level == capture.LevelDispatched || c.End().Kind == capture.EndOpen {
			return nil
		}
		rest := "its answer is lost"
		if c.Answer().Delivered == 0 {
			rest = "whether the rest of its answer came is not known"
		}
		return one(about(c, c.Answer().End, c.End().At, "The answer to %s had begun to arrive when the response %s; the call ran and %s.", c.name(), c.howEnded(), rest))
	},
}
