package analyze

import "mcptrace/capture"

var stdioPartialLine = Rule{
	Code: "stdio-partial-line", Severity: Warn,
	Title:  "The last line has no end",
	Text:   "A message ends with its newline. What was written of it before the process ended, or was killed, is lost.",
	Source: "MCP transports, stdio",
	Each: func(c *Case, a *Analyzer) []Finding {
		switch {
		case c.Proto() != "stdio":
			return nil
		case c.R().Tail > 0 && (c.End().Kind != capture.EndOpen || !c.HasRequest):
			return one(about(c, c.R().Decoded-c.R().Tail, c.LastByte, "The server's last line broke off after %s.", plural(int(c.R().Tail), "byte")))
		case c.HasRequest && !c.R().RequestWhole:
			return one(about(c, -1, c.RequestEnd, "The client's last line broke off: %s.", c.name()))
		}
		return nil
	},
}
