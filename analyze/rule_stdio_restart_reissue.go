package analyze

var stdioRestartReissue = Rule{
	Code: "stdio-restart-reissue", Severity: Warn,
	Title:  "A call was issued again to a fresh process",
	Text:   "The process that had the call ended, and the client sent it to the next one. It ran twice if the first had come far enough.",
	Source: "MCP 2026-07-28 transports, stdio: Unexpected Termination",
	Each: func(c *Case, a *Analyzer) []Finding {
		l := c.Reissue
		if c.Proto() != "stdio" || l == nil || l.Of.Conn == c.Conn {
			return nil
		}
		f := about(c, -1, 0, "%s was issued again to a fresh process, %s after the one that had it ended. Did it run twice: %s.", c.name(), dur(l.Gap), l.Duplicate)
		f.Cases, f.Confidence = append(f.Cases, l.Of), l.Confidence
		f.Severity = l.severity(Warn, c.Safety())
		return one(f)
	},
}
