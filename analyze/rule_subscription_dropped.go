package analyze

var subscriptionDropped = Rule{
	Code: "subscription-dropped", Severity: Warn,
	Title:  "A subscription ended without its result",
	Text:   "A server that ends a subscription in order answers the listen request. Without that the client must take what it knows for stale and subscribe again.",
	Source: "MCP 2026-07-28 subscriptions, Graceful Closure",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.method() != "subscriptions/listen" || c.over() == 0 || c.Answer().Level != "none" || c.End().By == "client" || c.HTTP.Status != 200 || c.HopOf != nil {
			return nil
		}
		return one(about(c, c.R().Decoded, c.End().At, "The stream of %s %s after %s, without a result.", c.name(), c.howEnded(), dur(c.End().At)))
	},
}
