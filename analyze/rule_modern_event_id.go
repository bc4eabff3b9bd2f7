package analyze

var modernEventID = Rule{
	Code: "modern-event-id", Severity: Info,
	Title:  "An event id where resumption no longer exists",
	Text:   "2026-07-28 has no Last-Event-ID. The TypeScript and Go clients still try to resume when they see an id.",
	Source: "MCP 2026-07-28 changelog, major change 9",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.Modern || len(c.R().Marks) == 0 {
			return nil
		}
		return one(about(c, c.R().Marks[0].End, c.R().Marks[0].At, "The stream of %s carries event ids; this version has no resumption.", c.name()))
	},
}
