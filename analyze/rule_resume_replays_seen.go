package analyze

var resumeReplaysSeen = Rule{
	Code: "resume-replays-seen", Severity: Warn,
	Title:  "An event came again that the client had already received",
	Text:   "A resumed stream must start after the event the client named. A client that does not compare ids handles the message twice.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		from := c.resumes
		if from == nil || c.Header.LastEventID == "" {
			return nil
		}
		seen := map[string]bool{}
		for _, m := range from.R().Marks {
			seen[m.ID] = true
		}
		for _, m := range c.R().Marks {
			if seen[m.ID] && m.Data {
				f := about(c, m.End, m.At, "The event %s came again on the resumed stream.", quote(m.ID))
				f.Cases = append(f.Cases, from)
				return one(f)
			}
		}
		return nil
	},
}
