package analyze

var resumeWrongStream = Rule{
	Code: "resume-wrong-stream", Severity: Error,
	Title:  "A resumed stream carried another stream's answer",
	Text:   "The server must redeliver only what belongs to the stream that is resumed.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || c.Origin == nil {
			return nil
		}
		for i := range c.R().Messages {
			m := &c.R().Messages[i]
			if !m.IsResponse() || c.Origin.owns(m) {
				continue
			}
			if o := c.inFlight(m); o != nil && o != c.Origin {
				f := about(c, m.End, m.At, "The stream that resumes exchange %s carried the answer to %s.", id(c.Origin), o.name())
				f.Cases = append(f.Cases, o)
				return one(f)
			}
		}
		return nil
	},
}
