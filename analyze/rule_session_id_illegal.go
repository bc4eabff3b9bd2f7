package analyze

var sessionIDIllegal = Rule{
	Code: "session-id-illegal", Severity: Error,
	Title:  "A session id holds characters that it must not",
	Text:   "Session ids must be visible ASCII (0x21 to 0x7E). Others do not survive every proxy and client.",
	Source: "MCP 2025-03-26 to 2025-11-25 transports, Session Management item 1",
	Each: func(c *Case, a *Analyzer) []Finding {
		id := c.Header.NewSession
		for i := 0; i < len(id); i++ {
			if id[i] < 0x21 || id[i] > 0x7e {
				return one(about(c, -1, c.HeadAt, "The id of session %s holds the byte 0x%02x.", c.Group.Label, id[i]))
			}
		}
		return nil
	},
}
