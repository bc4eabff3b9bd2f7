package analyze

import "time"

var bufferedStream = Rule{
	Code: "buffered-stream", Severity: Warn,
	Title:  "All events came at once, at the end",
	Text:   "A proxy seems to hold the stream back until it is complete: progress comes too late, and a break loses everything. Turn its buffering off for this path.",
	Source: "timing; MCP 2026-07-28 transports (X-Accel-Buffering)",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.sse || c.R().Events < 3 || c.listens() || c.LastByte < 500*time.Millisecond || !c.Started {
			return nil
		}
		if c.R().LastEvent-c.R().FirstEvent > c.LastByte/20 || c.R().FirstEvent < c.LastByte*19/20 {
			return nil
		}
		f := about(c, -1, c.R().FirstEvent, "All %d events of %s came within %s, %s after the request.", c.R().Events, c.name(), dur(c.R().LastEvent-c.R().FirstEvent), dur(c.R().FirstEvent))
		f.Confidence = "medium"
		if !c.Header.NoBuffering {
			f.Message += " The response has no X-Accel-Buffering: no."
		}
		return one(f)
	},
}
