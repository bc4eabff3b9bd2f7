package analyze

import "fmt"

var acceptIncomplete = Rule{
	Code: "accept-incomplete", Severity: Warn,
	Title:  "A request does not accept what it may be answered with",
	Text:   "A POST must list application/json and text/event-stream, a GET text/event-stream: the server chooses. Strict servers answer 406. A bare */* is let pass.",
	Source: "MCP transports, Sending Messages to the Server item 2; Listening for Messages item 2",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		h := c.Header
		if c.Transport() != "streamable-http" || h.AcceptsAny {
			return "", 0
		}
		switch {
		case c.HTTP.Method == "POST" && len(c.R().Calls) > 0 && !(h.AcceptsJSON && h.AcceptsSSE):
			return fmt.Sprintf("%s was sent without accepting both JSON and an event stream.", c.name()), 0
		case c.HTTP.Method == "GET" && (h.Session != "" || h.Version != "") && !h.AcceptsSSE:
			return "A GET was sent without accepting an event stream.", 0
		}
		return "", 0
	},
}
