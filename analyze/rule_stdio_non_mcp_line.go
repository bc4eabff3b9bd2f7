package analyze

import "mcptrace/capture"

var stdioNonMCPLine = Rule{
	Code: "stdio-non-mcp-line", Severity: Error,
	Title:  "A line on standard output is no MCP message",
	Text:   "A server must write nothing but MCP messages there. Log lines belong on standard error; many clients fail on the first such line.",
	Source: "MCP transports, stdio",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.Proto() != "stdio" || c.R().Odd&capture.OddNotJSON == 0 {
			return nil
		}
		return one(about(c, c.R().OddAt[capture.OddNotJSON], -1, "The server wrote a line that is no JSON-RPC message (%s).", quote(c.R().OddNote[capture.OddNotJSON])))
	},
}
