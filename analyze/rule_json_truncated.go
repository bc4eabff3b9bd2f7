package analyze

import "mcptrace/capture"

var jsonTruncated = Rule{
	Code: "json-truncated", Severity: Warn,
	Title:  "A JSON response was cut",
	Text:   "The body is shorter than its framing says and its JSON is not complete. The server had begun to answer, so the call ran.",
	Source: "RFC 9112 section 8",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || !c.R().JSON || c.Complete || c.R().Decoded == 0 || c.Break == nil || c.HTTP.Status != 200 {
			return nil
		}
		if c.Answer().Level != capture.LevelPartial && c.Answer().Level != capture.LevelNone {
			return nil
		}
		return one(about(c, c.R().Decoded, c.End().At, "The JSON response to %s %s after %s.", c.name(), c.howEnded(), plural(int(c.R().Decoded), "byte")))
	},
}
