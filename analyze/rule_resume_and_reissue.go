package analyze

var resumeAndReissue = Rule{
	Code: "resume-and-reissue", Severity: Warn,
	Title:  "A call was both resumed and issued again",
	Text:   "Two answers may come, from two runs. A client that resumes must wait for what the resumption brings before it issues the call again.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		r := c.RepeatedBy
		if c.ResumedBy == nil || r == nil || r.Reissue.Confidence == "low" || !c.isCall() {
			return nil
		}
		f := about(c, -1, c.End().At, "%s was resumed by exchange %s and issued again as exchange %s.", c.name(), id(c.ResumedBy), id(r))
		f.Cases = append(f.Cases, c.ResumedBy, r)
		return one(f)
	},
}
