package analyze

import "fmt"

var metaMissing = Rule{
	Code: "meta-missing", Severity: Error,
	Title:  "A request lacks what every request must say of itself, and was taken",
	Text:   "Since 2026-07-28 each request carries protocolVersion and clientCapabilities in its _meta. The server must answer 400 with -32602 where they are missing.",
	Source: "MCP 2026-07-28 basic protocol, _meta",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		k := c.call()
		if !c.Modern || !c.isCall() || len(c.R().Calls) != 1 || c.HTTP.Status != 200 || c.Answer().Kind == "error" || k.MetaVersion != "" && k.ClientCaps {
			return "", 0
		}
		key := "protocolVersion"
		if k.MetaVersion != "" {
			key = "clientCapabilities"
		}
		return fmt.Sprintf("%s was sent without %s in its _meta, and was not refused.", c.name(), key), 0
	},
}
