package analyze

var reservedErrorCode = Rule{
	Code: "reserved-error-code", Severity: Error,
	Title:  "An error has a code that is not the server's to give",
	Text:   "-32020 to -32099 are reserved to the specification, which has given a meaning to -32020, -32021 and -32022 only; -32002 and -32042 must not be used since 2026-07-28.",
	Source: "MCP 2026-07-28 basic protocol, Error Codes",
	Each: func(c *Case, a *Analyzer) []Finding {
		m := c.Answer().Message
		if !c.Modern || m == nil || c.Answer().Kind != "error" {
			return nil
		}
		code := m.Result.Code
		reserved := code <= -32023 && code >= -32099 || code == -32002
		if !reserved {
			return nil
		}
		return one(about(c, m.End, m.At, "%s was answered with the error code %d.", c.name(), code))
	},
}
