package analyze

import "mcptrace/capture"

var endWithoutAnswer = Rule{
	Code: "end-without-answer", Severity: Error,
	Title:  "The response ended in order, without an answer",
	Text:   "The server owes an answer to every call. Clients that watch only for a break wait until their timeout.",
	Source: "MCP transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.Answer().Level != capture.LevelNone || c.Transport() == "http+sse" || c.pollClose() || c.HTTP.Status != 200 || c.method() == "subscriptions/listen" {
			return nil
		}
		clean := c.End().Kind == capture.EndClean || c.End().Kind == capture.EndCloseDelimited && c.Break == nil
		if !clean || c.R().Odd&capture.OddUndecodable != 0 {
			return nil
		}
		return one(about(c, c.R().Decoded, c.End().At, "The response to %s ended in order after %s, without an answer.", c.name(), plural(c.R().Events, "event")))
	},
}
