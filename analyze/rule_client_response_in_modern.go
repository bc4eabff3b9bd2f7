package analyze

import "mcptrace/capture"

var clientResponseInModern = Rule{
	Code: "client-response-in-modern", Severity: Error,
	Title:  "The client sent a response",
	Text:   "Since 2026-07-28 clients send requests and notifications only: input that a server asked for travels in the next round of the call.",
	Source: "MCP 2026-07-28 transports, Sending Messages",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.R().Kind != capture.KindResponse || c.Header.Version < capture.FirstModern {
			return nil
		}
		return one(about(c, -1, 0, "The client posted a response (id %s); version %s has none.", orNone(string(c.call().ID)), quote(c.Header.Version)))
	},
}
