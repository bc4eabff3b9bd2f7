package analyze

var answerCROnly = Rule{
	Code: "answer-cr-only", Severity: Warn,
	Title:  "Only a bare CR dispatches the answer",
	Text:   "The HTML rules count CR alone as a line end; many clients do not, and never see this answer.",
	Source: "HTML 9.2.5",
	Each: func(c *Case, a *Analyzer) []Finding {
		m := c.Answer().Message
		if m == nil || !m.CROnly || !c.dispatched() {
			return nil
		}
		return one(about(c, c.Answer().End, c.answerAt, "The answer to %s ends with a bare CR; readers that do not count CR as a line end miss it.", c.name()))
	},
}
