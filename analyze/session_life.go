package analyze

import "time"

// live works out the course of a session: how it began, what became of its id, when it was last heard of.
func (s *Session) live(a *Analyzer) {
	s.Handshake = -1
	for c := range a.each(s.Cases) {
		s.End = max(s.End, c.at(max(c.RequestEnd, c.LastByte, c.HeadAt, c.End().At)))
		if c.HopOf != nil {
			continue
		}
		if stream := s.liveHTTP(c); stream != "" {
			n := *s.Nature
			n.Stream = stream
			s.become(n, a)
		}
	}
	if open := s.opening(); open != nil && open.dispatched() {
		s.Handshake = open.Answer().At + open.Hold.Blocked + s.initialized()
	}
}

// liveHTTP takes what the status of c tells, and returns what became of a GET stream.
func (s *Session) liveHTTP(c *Case) (stream string) {
	switch {
	case c.HTTP.Status == 404 && c.Header.Session != "" && !c.Modern:
		if s.Expired++; s.ExpiredAt == 0 {
			s.ExpiredAt = c.Start
		}
	case c.HTTP.Method == "DELETE" && c.HTTP.Status >= 200 && c.HTTP.Status < 300:
		s.Deleted = c.Start
	case c.HTTP.Method != "GET" || c.HTTP.Status == 0:
	case c.HTTP.Status == 405:
		return "refused"
	case c.HTTP.Status == 200 && c.sse:
		return "open"
	case c.HTTP.Status == 200:
		return "not-sse"
	}
	return ""
}

// opening returns the session's first initialize, nil: none was seen.
func (s *Session) opening() *Case {
	for _, c := range s.Cases {
		if c.method() == "initialize" && c.HopOf == nil && c.dispatched() {
			return c
		}
	}
	return nil
}

// initialized returns how long notifications/initialized took.
func (s *Session) initialized() time.Duration {
	for _, c := range s.Cases {
		if c.method() == "notifications/initialized" && c.HopOf == nil {
			return max(0, c.HeadAt)
		}
	}
	return 0
}
