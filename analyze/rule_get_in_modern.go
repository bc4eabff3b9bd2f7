package analyze

import "fmt"

var getInModern = Rule{
	Code: "get-in-modern", Severity: Info,
	Title:  "A GET or DELETE where the version knows POST only",
	Text:   "2026-07-28 has no standing stream and no sessions to delete; the server should answer 405.",
	Source: "MCP 2026-07-28 transports, Earlier Streamable HTTP Revisions",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		if !c.Modern || c.HTTP.Method != "GET" && c.HTTP.Method != "DELETE" {
			return "", 0
		}
		return fmt.Sprintf("A %s of the modern era was answered %d.", c.HTTP.Method, c.HTTP.Status), 0
	},
}
