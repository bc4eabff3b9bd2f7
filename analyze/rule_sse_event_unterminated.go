package analyze

import "mcptrace/capture"

var sseEventUnterminated = Rule{
	Code: "sse-event-unterminated", Severity: Warn,
	Title:  "The stream ended with a pending event",
	Text:   "No blank line dispatched it; by the rules it is discarded.",
	Source: "HTML 9.2.6",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.sse || c.R().Odd&capture.OddTail == 0 || c.End().Kind == capture.EndOpen || c.holed || c.Answer().Level == capture.LevelPartial || c.Answer().Level == capture.LevelUnframed {
			return nil
		}
		return one(about(c, c.R().OddAt[capture.OddTail], c.End().At, "The stream of %s ended with %s that no blank line had dispatched.", c.name(), plural(int(c.R().Tail), "byte")))
	},
}
