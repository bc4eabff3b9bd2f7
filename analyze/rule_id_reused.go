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
	last := map[uint64]*Case{} // by hashOf
	take := func(c *Case, method string, id uint64) {
		p := last[id]
		last[id] = c
		if p == nil || method == "initialize" || p.method() == "initialize" || !s.reuses(c, p, a) || !shareID(c, p) {
			return
		}
		f := about(c, -1, 0, "%s has the id of an earlier call of its session (exchange #%d).", c.name(), p.ID)
		f.Cases = append(f.Cases, p)
		fs = append(fs, f)
	}
	for c := range a.each(s.Cases) {
		switch {
		case !c.isCall() || c.HopOf != nil:
		case c.alone():
			take(c, c.verb, c.id)
		default:
			for i := range c.R().Calls {
				if k := &c.R().Calls[i]; k.IsCall() {
					take(c, k.Method, hashOf(k.ID))
				}
			}
		}
	}
	return fs
}

// reuses reports whether c must not have an id of p, which came before it.
func (s *Session) reuses(c, p *Case, a *Analyzer) bool {
	if expectedRepeat(p) || p.HTTP.Status >= 400 || p.HTTP.Status == 0 && c.Reissue != nil {
		return false
	}
	inFlight := p.endOrLast(a) > c.Start
	return inFlight || !c.Modern && (s.Negotiated != "" || s.HasID)
}

// shareID reports whether both carry a call of one id.
func shareID(c, p *Case) bool {
	if c == p {
		return true
	}
	calls := p.R().Calls
	for i := range c.R().Calls {
		for j := range calls {
			if c.R().Calls[i].ID == calls[j].ID {
				return true
			}
		}
	}
	return false
}

// Session returns s where it has an id, nil where it only stands in for one.
func (s *Session) Session() *Session {
	if s.HasID {
		return s
	}
	return nil
}
