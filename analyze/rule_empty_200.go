package analyze

import (
	"time"

	"mcptrace/capture"
)

// emptyFrom is how long a stream must have been empty to be worth a word.
const emptyFrom = 60 * time.Second

var empty200 = Rule{
	Code: "empty-200", Severity: Warn,
	Title:  "A stream was opened for a call and stayed empty",
	Text:   "The head promised a stream, then nothing but perhaps comments came. One known cause: two calls in flight with one id, of which the other got this answer.",
	Source: "MCP transports: the stream should carry the response",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || !c.sse || c.HTTP.Status != 200 || c.R().Events > 0 || c.Answer().Level != capture.LevelNone || c.Answer().Stream != nil || c.listens() || c.Transport() == "http+sse" {
			return nil
		}
		empty := c.endOrLast(a).Sub(c.at(c.HeadAt))
		if empty < emptyFrom && !(c.End().Kind == capture.EndClean && c.R().Odd == 0) {
			return nil
		}
		return one(about(c, 0, c.HeadAt, "The stream of %s held no event for %s.", c.name(), dur(empty)))
	},
}
