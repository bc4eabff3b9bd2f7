package analyze

import "fmt"

var statusWithoutAnswer = Rule{
	Code: "status-without-answer", Severity: Warn,
	Title:  "A call got an error status without a JSON-RPC answer",
	Text:   "A gateway or the HTTP layer answered instead of the tool. A status of 400 to 499 says that the call was turned away; behind 502, 503 and 504 it may have run all the same.",
	Source: "MCP transports, Sending Messages; RFC 9110 section 15",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || c.HTTP.Status < 400 || c.dispatched() || c.HTTP.Status == 401 || c.HTTP.Status == 403 || c.holed || c.Transport() == "http+sse" {
			return nil
		}
		if c.HTTP.Status == 404 && c.Header.Session != "" {
			return nil // a session that ended has a finding of its own
		}
		f := about(c, -1, c.HeadAt, "%s was answered with status %d and no JSON-RPC answer.", c.name(), c.HTTP.Status)
		switch {
		case c.unsent():
			f.Message = fmt.Sprintf("%s was answered with status %d by the recording proxy itself, which did not hand it to the server: it did not run.", c.name(), c.HTTP.Status)
		case c.HTTP.Status >= 500:
			f.Message += " It may have run all the same."
		}
		return one(f)
	},
}

// unsentServer is what the recording proxy calls itself when it answers in the server's place, having sent nothing on.
const unsentServer = "mcptrace-proxy"

// unsent reports whether the recording proxy did not hand the request to the server.
func (c *Case) unsent() bool {
	return c.Conn.Vantage.Kind == "proxy" && c.Header.ServerName == unsentServer
}
