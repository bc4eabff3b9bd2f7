package analyze

import "time"

const retryTolerance = 50 * time.Millisecond

var resumeTooEarly = Rule{
	Code: "resume-too-early", Severity: Error,
	Title:  "The client came back before the server's retry time",
	Text:   "After a close the client must wait as long as the last retry field said.",
	Source: "MCP 2025-11-25 transports, Sending Messages item 6",
	Each: func(c *Case, a *Analyzer) []Finding {
		from := c.resumes
		if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || from == nil || from.R().Retry < 0 || from.over() == 0 {
			return nil
		}
		asked, waited := time.Duration(from.R().Retry)*time.Millisecond, c.Start.Sub(from.over())
		if waited < 0 || waited >= asked-retryTolerance {
			return nil
		}
		f := about(c, -1, 0, "The client came back after %s; the server had asked for %s.", dur(waited), dur(asked))
		f.Cases = append(f.Cases, from)
		return one(f)
	},
}
