package analyze

import "mcptrace/capture"

var duplicateAnswer = Rule{
	Code: "duplicate-answer", Severity: Error,
	Title:  "One call was answered twice",
	Text:   "Each call gets one answer, on one stream. A second answer is no redelivery unless it repeats the event id.",
	Source: "JSON-RPC 2.0 section 5; MCP transports, Multiple Connections",
	Each: func(c *Case, a *Analyzer) []Finding {
		var fs []Finding
		for i := range c.Answers() {
			first := c.Answers()[i].Message
			if first == nil || c.Answers()[i].Level != capture.LevelDispatched || c.Answers()[i].Stream != nil {
				continue
			}
			for j := range c.R().Messages {
				m := &c.R().Messages[j]
				if m != first && m.IsResponse() && m.Level == capture.LevelDispatched && m.ID.Equal(first.ID) && (m.EventID == "" || m.EventID != first.EventID) {
					fs = append(fs, about(c, m.End, m.At, "%s was answered a second time on the same stream.", c.name()))
					break
				}
			}
		}
		return fs
	},
}
