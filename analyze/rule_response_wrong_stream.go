package analyze

var responseWrongStream = Rule{
	Code: "response-wrong-stream", Severity: Error,
	Title:  "An answer came on a stream where none may be sent",
	Text:   "On a GET that does not resume an earlier stream the server may send requests and notifications only. Many clients do not look for answers there.",
	Source: "MCP transports, Listening for Messages from the Server",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "GET" || !c.sse || c.Transport() == "http+sse" || c.Header.LastEventID != "" {
			return nil
		}
		var fs []Finding
		for i := range c.R().Messages {
			if m := &c.R().Messages[i]; m.IsResponse() {
				fs = append(fs, about(c, m.End, m.At, "An answer (id %s) came on a GET stream that resumes nothing.", clip(string(m.ID), 40)))
			}
		}
		return fs
	},
}
