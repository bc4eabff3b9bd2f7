package analyze

import "time"

const slowFirstByteFrom = 5 * time.Second

var slowFirstByte = Rule{
	Code: "slow-first-byte", Severity: Warn,
	Title:  "The response head came late",
	Text:   "Until then a client cannot tell a slow server from a dead one. Some servers hold the head back until the first event.",
	Source: "timing",
	Each: func(c *Case, a *Analyzer) []Finding {
		wait := c.HeadAt - c.RequestEnd
		if c.HeadAt < 0 || !c.HasRequest || c.listens() || wait <= slowFirstByteFrom {
			return nil
		}
		return one(about(c, -1, c.HeadAt, "The response head of %s came %s after the request.", c.name(), dur(wait)))
	},
}
