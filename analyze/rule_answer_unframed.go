package analyze

import "mcptrace/capture"

var answerUnframed = Rule{
	Code: "answer-unframed", Severity: Warn,
	Title:  "The answer's JSON is whole, but what should end it is not",
	Text:   "By the rules the answer is not delivered: the blank line (SSE) or the end of the body (JSON) is missing. Clients differ: some take it, most drop it. The call ran.",
	Source: "HTML 9.2.6, RFC 9112 section 8",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Answer().Level != capture.LevelUnframed || c.End().Kind == capture.EndOpen {
			return nil
		}
		what := "the end of its HTTP body"
		switch {
		case c.sse:
			what = "the blank line that dispatches it"
		case c.Proto() == "stdio":
			what = "its newline"
		}
		return one(about(c, c.Answer().End, c.End().At, "The answer to %s is complete JSON, but %s is missing; the response %s.", c.name(), what, c.howEnded()))
	},
}
