package analyze

var noReinitAfter404 = Rule{
	Code: "no-reinit-after-404", Severity: Error,
	Title:  "The client went on with a session that had ended",
	Text:   "After a 404 to its session id a client must start a new session; this one kept sending the dead id.",
	Source: "MCP transports, Session Management",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			var dead []*Case
			for _, c := range s.Cases {
				if c.HTTP.Status == 404 && c.Header.Session != "" && c.HopOf == nil {
					dead = append(dead, c)
				}
			}
			if len(dead) >= 3 {
				f := about(dead[1], -1, -1, "Session %s was refused with 404 %s; the client kept using it.", s.Label, plural(len(dead), "time"))
				f.Cases = dead
				fs = append(fs, f)
			}
		}
		return fs
	},
}
