package analyze

import (
	"time"

	"mcptrace/capture"
)

const unansweredFrom = 30 * time.Second

var unanswered = Rule{
	Code: "unanswered", Severity: Warn,
	Title:  "The call had no answer when the capture ended",
	Text:   "The stream was still open. Whether the answer came later is not known.",
	Source: "MCP lifecycle, Timeouts",
	Each: func(c *Case, a *Analyzer) []Finding {
		age := a.Last.Sub(c.Start)
		if !c.isCall() || c.dispatched() || c.End().Kind != capture.EndOpen || c.method() == "subscriptions/listen" || age < unansweredFrom || c.Transport() == "http+sse" {
			return nil
		}
		return one(about(c, c.R().Decoded, age, "%s was still without an answer when the capture ended, %s after it was sent.", c.name(), dur(age)))
	},
}
