package analyze

var sessionNotSticky = Rule{
	Code: "session-not-sticky", Severity: Error,
	Title:  "One session is known and unknown in turn",
	Text:   "The same session id is answered 404 (or 401, where nobody asks for credentials) and with success in turn: several instances share the address, and each knows its own sessions only. Route by session, share the sessions, or go without.",
	Source: "MCP transports, Session Management: 404 means that the session has ended",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			if !s.HasID || s.Transport != "streamable-http" {
				continue
			}
			if f, ok := alternating(s.Cases, func(c *Case) answerClass {
				switch {
				case c.Modern || c.HopOf != nil:
					return neither
				case c.Header.Session != "" && (c.HTTP.Status == 404 || c.HTTP.Status == 401 && !c.Header.Challenge && !c.Header.HasAuth):
					return refusedAnswer
				case c.HTTP.Status >= 200 && c.HTTP.Status < 300:
					return acceptedAnswer
				}
				return neither
			}); ok {
				f.Message = "Session " + s.Label + " was " + f.Message + ": its requests seem to reach instances that do not know it."
				fs = append(fs, f)
			}
		}
		return fs
	},
}
