package analyze

import "mcptrace/capture"

var stdioExitInFlight = Rule{
	Code: "stdio-exit-in-flight", Severity: Warn,
	Title:  "The server ended while a call was in flight",
	Text:   "The call is lost. The client may issue it again to a fresh process; whether it had run by then nobody knows.",
	Source: "MCP 2026-07-28 transports, stdio: Unexpected Termination",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Proto() != "stdio" || !c.isCall() || c.dispatched() || c.End().Kind != capture.EndFIN && c.End().Kind != capture.EndNone {
			return nil
		}
		return one(about(c, c.R().Decoded, c.End().At, "%s had no answer when the server ended, %s after it was sent.", c.name(), dur(c.End().At)))
	},
}
