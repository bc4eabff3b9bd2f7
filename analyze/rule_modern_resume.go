package analyze

var modernResume = Rule{
	Code: "modern-resume", Severity: Warn,
	Title:  "A client tried to resume where resumption no longer exists",
	Text:   "Since 2026-07-28 a broken stream loses its call. A GET with Last-Event-ID brings nothing, and time passes until the call is issued again.",
	Source: "MCP 2026-07-28 changelog, major change 9",
	Each: func(c *Case, a *Analyzer) []Finding {
		from := c.resumes
		if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || !c.Modern && (from == nil || !from.Modern) {
			return nil
		}
		f := about(c, -1, 0, "A GET with Last-Event-ID was sent and answered %d.", c.HTTP.Status)
		if from != nil {
			f.Cases = append(f.Cases, from)
		}
		return one(f)
	},
}
