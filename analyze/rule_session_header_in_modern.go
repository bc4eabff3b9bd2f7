package analyze

import "fmt"

var sessionHeaderInModern = Rule{
	Code: "session-header-in-modern", Severity: Info,
	Title:  "A session id where the version has no sessions",
	Text:   "2026-07-28 has no sessions: servers mint no ids and ignore those they get.",
	Source: "MCP 2026-07-28 transports, Earlier Streamable HTTP Revisions",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		switch {
		case !c.Modern:
			return "", 0
		case c.Header.NewSession != "":
			return fmt.Sprintf("The response to %s mints a session id.", c.name()), 0
		case c.Header.Session != "":
			return fmt.Sprintf("%s carries a session id.", c.name()), 0
		}
		return "", 0
	},
}
