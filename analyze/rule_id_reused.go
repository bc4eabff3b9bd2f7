package analyze

var idReused = Rule{
	Code: "id-reused", Severity: Error,
	Title:  "A call has the id of another one",
	Text:   "Ids must not come again in a session (before 2026-07-28), or while a call with that id is in flight (since). Servers mix up the answers.",
	Source: "MCP basic protocol, Requests",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			fs = append(fs, reusedIn(s, a)...)
		}
		return fs
	},
}

func reusedIn(s *Session, a *Analyzer) []Finding {
	var fs []Finding
	last := map[string]*Case{}
	for c := range a.each(s.Cases) {
		if !c.isCall() || c.HopOf != nil {
			continue
		}
		for i := range c.R().Calls {
			k := &c.R().Calls[i]
			if !k.IsCall() {
				continue
			}
			key := string(k.ID)
			p := last[key]
			last[key] = c
			if p == nil || k.Method == "initialize" || p.method() == "initialize" || expectedRepeat(p) || p.HTTP.Status >= 400 || p.HTTP.Status == 0 && c.Reissue != nil {
				continue
			}
			inFlight := p.endOrLast(a) > c.Start
			if (c.Modern || s.Negotiated == "" && s.Session() == nil) && !inFlight {
				continue
			}
			f := about(c, -1, 0, "%s has the id of an earlier call of its session (exchange %s).", c.name(), id(p))
			f.Cases = append(f.Cases, p)
			fs = append(fs, f)
		}
	}
	return fs
}

// Session returns s where it has an id, nil where it only stands in for one.
func (s *Session) Session() *Session {
	if s.HasID {
		return s
	}
	return nil
}
