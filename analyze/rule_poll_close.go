package analyze

import (
	"mcptrace/capture"
)

var pollCloseRule = Rule{
	Code: "poll-close", Severity: Info,
	Title:  "The server closed the stream for the client to poll",
	Text:   "After an event id the server may close and let the client come back with Last-Event-ID. It should say with a retry field how long to wait.",
	Source: "MCP 2025-11-25 transports, Sending Messages item 6",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.Transport() == "http+sse" || c.Modern || !c.sse || len(c.R().Marks) == 0 || c.ownDispatched() || c.Answer().Level != capture.LevelNone && c.Answer().Stream == nil {
			return nil
		}
		if c.End().Kind != capture.EndClean && !(c.End().Kind == capture.EndCloseDelimited && c.Break == nil) {
			return nil
		}
		f := about(c, c.R().Decoded, c.End().At, "The server closed the stream of %s after an event id; the client may ask for the rest with Last-Event-ID.", c.name())
		if c.R().Retry < 0 {
			f.Severity = Warn
			f.Message += " It gave no retry time."
		}
		return one(f)
	},
}
