package analyze

import "fmt"

var versionHeaderMissing = Rule{
	Code: "version-header-missing", Severity: Error,
	Title:  "A request does not say which protocol version it speaks",
	Text:   "Since 2025-06-18 every request after initialize must carry MCP-Protocol-Version. Without it the server assumes 2025-03-26, or refuses.",
	Source: "MCP 2025-06-18 and 2025-11-25 transports, Protocol Version Header; 2026-07-28 transports, Protocol Version Header",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		if c.Header.Version != "" || c.Transport() != "streamable-http" || c.HTTP.Method == "" || c.HTTP.Method == "OPTIONS" || c.method() == "initialize" {
			return "", 0
		}
		switch {
		case c.Modern && c.isCall():
			return fmt.Sprintf("%s was sent without MCP-Protocol-Version.", c.name()), 0
		case !c.Modern && c.Group.Negotiated >= "2025-06-18" && c.Header.Session != "":
			return fmt.Sprintf("%s was sent without MCP-Protocol-Version; version %s had been agreed on.", c.name(), c.Group.Negotiated), 0
		}
		return "", 0
	},
}
