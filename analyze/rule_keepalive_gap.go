package analyze

import "time"

const keepaliveGapFrom = 60 * time.Second

var keepaliveGap = Rule{
	Code: "keepalive-gap", Severity: Warn,
	Title:  "A stream was silent for more than a minute",
	Text:   "Many load balancers and proxies cut connections that are idle for 60 seconds. A comment line every 15 seconds keeps the stream open.",
	Source: "HTML 9.2.7 (authoring notes); MCP 2026-07-28 transports",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.sse || c.R().MaxGap <= keepaliveGapFrom {
			return nil
		}
		return one(about(c, -1, -1, "The stream of %s was silent for %s while it was in use.", c.name(), dur(c.R().MaxGap)))
	},
}
