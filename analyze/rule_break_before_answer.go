package analyze

import "mcptrace/capture"

var breakBeforeAnswer = Rule{
	Code: "break-before-answer", Severity: Warn,
	Title:  "The stream broke before any byte of the answer",
	Text:   "Nothing tells whether the call ran. Since 2026-07-28 the client must issue it again with a new id; before, it may be resumed if an event id was seen.",
	Source: "MCP 2026-07-28 changelog, major change 9",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.Break == nil || c.Answer().Level != capture.LevelNone || c.closedBeforeAnswer() || c.Transport() != "streamable-http" {
			return nil
		}
		return one(about(c, c.Break.Offset, c.End().At, "%s got no answer: the connection %s %s.", c.name(), c.howEnded(), wherePhrase[c.Break.Where]))
	},
}

var wherePhrase = map[Where]string{
	BeforeHead: "before any response", BeforeEvents: "after the response head, before any event", BetweenEvents: "after events that held no answer",
	InEvent: "inside an event that was not the answer", InAnswer: "inside the answer", AfterAnswer: "after the answer",
}
