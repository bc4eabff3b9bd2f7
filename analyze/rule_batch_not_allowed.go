package analyze

import "mcptrace/capture"

var batchNotAllowed = Rule{
	Code: "batch-not-allowed", Severity: Error,
	Title:  "A batch where the version has none",
	Text:   "Only 2025-03-26 knows batches, and never for initialize.",
	Source: "MCP 2025-06-18 changelog; 2025-03-26 transports",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.R().Kind != capture.KindBatch {
			return nil
		}
		v := c.ruleVersion()
		if v == "2025-03-26" || v == "" {
			for i := range c.R().Calls {
				if c.R().Calls[i].Method == "initialize" {
					return one(about(c, -1, 0, "initialize was sent inside a batch."))
				}
			}
			return nil
		}
		return one(about(c, -1, 0, "A batch of %d was sent; version %s has no batches.", len(c.R().Calls), v))
	},
}
