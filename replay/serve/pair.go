package serve

import "slices"

// pair finds the recorded exchange for a request, and the session that it belongs to or begins.
func (s *Server) pair(q *request) (*live, *entry, bool) {
	l, target := s.sessions.of(s.rec, q)
	k := keyOf(q.ex.Request.Head.Method, target, q.header("Last-Event-ID"), q.rd)
	found := s.rec.exact[k.exact]
	if len(found) == 0 && k.loose != "" {
		found = s.rec.loose[k.loose]
	}
	if len(found) == 0 {
		return l, s.resumption(l, q), false
	}
	e, first := l.choose(found, q, s.target())
	if e.begins() {
		l = s.sessions.start(e.session)
	}
	return l, e, first
}

// choose takes the recorded exchange for a request out of those that fit: one that this session has not had yet, of the
// session it is bound to, with or without credentials as the request has them, the target of a cut, with the same id, the
// earliest. first tells that it was not played to the session before.
func (l *live) choose(fit []*entry, q *request, target int) (e *entry, first bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	rank := func(e *entry) []int {
		return []int{l.used[e], btoi(l.recorded != "" && e.session != l.recorded), btoi(e.auth != q.ex.Request.Head.Has("Authorization")),
			btoi(e.number != target), btoi(!sameIDs(e, q))}
	}
	e = slices.MinFunc(fit, func(a, b *entry) int { return slices.Compare(rank(a), rank(b)) })
	l.used[e]++
	return e, l.used[e] == 1
}

// target returns the number of the exchange that is to be cut, 0: no certain one.
func (s *Server) target() int {
	if len(s.opt.Cuts) == 0 {
		return 0
	}
	return s.opt.Cuts[0].Exchange
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sameIDs reports whether the calls of a request have the recorded ids.
func sameIDs(e *entry, q *request) bool {
	for i := range min(len(e.rd.Calls), len(q.rd.Calls)) {
		if !e.rd.Calls[i].ID.Equal(q.rd.Calls[i].ID) {
			return false
		}
	}
	return true
}

// prepare takes note that a request for e has come.
func (s *Server) prepare(l *live, e *entry, q *request) *Play {
	p := s.log.begin(l, e, q)
	if last := q.header("Last-Event-ID"); last != "" {
		s.log.resume(s.rec, l, p, last)
	}
	for i := range q.rd.Calls {
		if c := &q.rd.Calls[i]; c.Method == "notifications/cancelled" {
			s.log.cancel(l, string(c.CancelID))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	legacy := s.rec.legacy(l.recorded)
	if legacy && p.call && len(l.calls) < maxInjected {
		l.calls = append(l.calls, p)
	}
	if _, again := l.begun[e]; again && legacy { // its recorded answer is for an earlier request: this one gets a copy
		if g, ok := s.rec.answerOf(e); ok && len(l.inject) < maxInjected {
			l.inject = append(l.inject, injected{due: q.at.Add(s.scaled(g.delay)), gate: g, as: newView(l, e, q), play: p})
		}
	} else {
		l.learn(e, q)
		l.plays[e] = p
	}
	l.touch()
	return p
}
