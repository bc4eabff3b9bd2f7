package analyze

import (
	"strings"

	"mcptrace/capture"
)

// Filter says which exchanges a report shows. Correlation sees all of them, so a re-issue is found although its first
// attempt is filtered out. The zero Filter shows all.
type Filter struct {
	Since, Until          capture.Instant
	Server, Client        string // address, address:port or a part of it
	Session, Method, Tool string
}

func (f Filter) none() bool { return f == Filter{} }

// Match reports whether the filter shows the case.
func (f Filter) Match(c *Case) bool {
	switch {
	case f.Since != 0 && c.Start < f.Since, f.Until != 0 && c.Start > f.Until:
		return false
	case f.Server != "" && !strings.Contains(c.Conn.Server.String(), f.Server):
		return false
	case f.Client != "" && !strings.Contains(c.Conn.Client.String(), f.Client):
		return false
	case f.Session != "" && (c.Group == nil || c.Group.Label != f.Session):
		return false
	}
	return f.matchCall(c)
}

func (f Filter) matchCall(c *Case) bool {
	if f.Method == "" && f.Tool == "" {
		return true
	}
	for i := range c.R().Calls {
		k := &c.R().Calls[i]
		if (f.Method == "" || k.Method == f.Method) && (f.Tool == "" || k.Name == f.Tool) {
			return true
		}
	}
	return false
}

// selectShown drops what the filter does not show, after correlation; ids stay those of the whole recording.
func (a *Analyzer) selectShown() {
	if a.opt.Filter.none() {
		return
	}
	a.hidden = len(a.cases)
	kept := make([]*Case, 0, len(a.cases))
	for c := range a.each(a.cases) {
		if a.opt.Filter.Match(c) {
			kept = append(kept, c)
		}
	}
	a.cases = kept
	a.keepSessions()
}

// keepSessions drops sessions none of whose exchanges is shown.
func (a *Analyzer) keepSessions() {
	shown := map[*Session]bool{}
	for c := range a.each(a.cases) {
		shown[c.Group] = true
	}
	kept := a.Sessions[:0]
	for _, s := range a.Sessions {
		if shown[s] {
			kept = append(kept, s)
		}
	}
	a.Sessions = kept
}
