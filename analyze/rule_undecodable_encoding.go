package analyze

import "mcptrace/capture"

var undecodableEncoding = Rule{
	Code: "undecodable-encoding", Severity: Info,
	Title:  "The body's content coding could not be undone",
	Text:   "Events behind this point cannot be seen. What was decoded before it stays good.",
	Source: "RFC 9110 section 8.4",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.R().Odd&capture.OddUndecodable == 0 || c.holed {
			return nil
		}
		return one(about(c, c.R().OddAt[capture.OddUndecodable], -1, "The %s coding of the response to %s could not be undone from there on.", quote(c.HTTP.ContentEncoding), c.name()))
	},
}
