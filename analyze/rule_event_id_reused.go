package analyze

var eventIDReused = Rule{
	Code: "event-id-reused", Severity: Error,
	Title:  "Two events of a session have one id",
	Text:   "Ids must be unique in a session, or a resumption cannot know what it is to continue.",
	Source: "MCP transports, Resumability and Redelivery",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			if f, ok := reusedEventID(s, a); ok {
				fs = append(fs, f)
			}
		}
		return fs
	},
}

// reusedEventID looks for an id on two streams of a session of which none resumes another.
func reusedEventID(s *Session, a *Analyzer) (Finding, bool) {
	first := map[string]*Case{}
	for c := range a.each(s.Cases) {
		if c.HopOf != nil || !c.marked {
			continue
		}
		own := map[string]bool{}
		for _, m := range c.R().Marks {
			if p := first[m.ID]; own[m.ID] || p != nil && c.Header.LastEventID == "" {
				return about(c, m.End, m.At, "The event id %s had been used before in session %s.", quote(m.ID), s.Label), true
			}
			own[m.ID] = true
		}
		for k := range own {
			if first[k] == nil {
				first[k] = c
			}
		}
	}
	return Finding{}, false
}
