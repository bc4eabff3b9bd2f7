package serve

import (
	"crypto/rand"
	"net/url"
	"strings"
	"sync"
	"time"
)

// live is one session of a live client. The requests that name no session share one.
type live struct {
	number   int    // from 1; 0: the shared one
	recorded string // the recorded session it is bound to, "" for none
	token    string // the session id that the client was given
	issued   bool   // it was given out here; else the client came with it
	origin   string // scheme and host as the client names this server

	mu      sync.Mutex
	ids     map[string]string // recorded id → the live one
	tokens  map[string]string // progress tokens likewise
	used    map[*entry]int
	begun   map[*entry]time.Time // when the client's request for it was whole
	inject  []injected
	passed  map[*entry]bool  // calls whose recorded answer has been sent on a GET stream
	plays   map[*entry]*Play // of each call, the one that its recorded answer is for
	calls   []*Play          // of the 2024-11-05 transport: all
	changed chan struct{}    // closed and replaced when any of this changes
}

func newLive(number int) *live {
	return &live{number: number, ids: map[string]string{}, tokens: map[string]string{}, used: map[*entry]int{}, begun: map[*entry]time.Time{},
		passed: map[*entry]bool{}, plays: map[*entry]*Play{}, changed: make(chan struct{})}
}

// touch wakes those who wait for a change. l.mu is held.
func (l *live) touch() {
	close(l.changed)
	l.changed = make(chan struct{})
}

// changes returns a channel that is closed when any of this changes.
func (l *live) changes() <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.changed
}

// learn takes note which live ids stand for which recorded ones, and that e's request is there.
func (l *live) learn(e *entry, q *request) {
	for i := range min(len(e.rd.Calls), len(q.rd.Calls)) {
		was, is := &e.rd.Calls[i], &q.rd.Calls[i]
		if was.IsCall() && is.IsCall() {
			l.ids[canonicalID(string(was.ID))] = string(is.ID)
			if was.ProgressToken != "" && is.ProgressToken != "" {
				l.tokens[canonicalID(was.ProgressToken)] = is.ProgressToken
			}
		}
	}
	l.begun[e] = q.at
}

// view is what one playing sees of a session: its own request's ids first.
type view struct {
	l   *live
	own map[string]string
	tok map[string]string
}

func newView(l *live, e *entry, q *request) *view {
	v := &view{l, map[string]string{}, map[string]string{}}
	for i := range min(len(e.rd.Calls), len(q.rd.Calls)) {
		was, is := &e.rd.Calls[i], &q.rd.Calls[i]
		if was.IsCall() && is.IsCall() {
			v.own[canonicalID(string(was.ID))] = string(is.ID)
			if was.ProgressToken != "" && is.ProgressToken != "" {
				v.tok[canonicalID(was.ProgressToken)] = is.ProgressToken
			}
		}
	}
	return v
}

// value implements resolver.
func (v *view) value(kind siteKind, raw string) string {
	v.l.mu.Lock()
	defer v.l.mu.Unlock()
	own, all := v.own, v.l.ids
	switch kind {
	case siteEndpoint:
		return v.l.endpoint(raw)
	case siteToken:
		own, all = v.tok, v.l.tokens
	}
	k := canonicalID(raw)
	if s, ok := own[k]; ok && s != k {
		return s
	} else if ok {
		return raw
	}
	if s, ok := all[k]; ok && s != k {
		return s
	}
	return raw
}

// endpoint returns the URI of an endpoint event for this client: its own session id, and no other host than ours.
func (l *live) endpoint(uri string) string {
	if t := endpointToken(uri); t != "" && l.token != "" {
		uri = strings.Replace(uri, t, l.token, 1)
	}
	if u, err := url.Parse(uri); err == nil && u.Host != "" && l.origin != "" {
		return l.origin + u.RequestURI()
	}
	return uri
}

// session implements resolver.
func (v *view) session(recorded string) string {
	if v.l.token != "" && v.l.recorded == recorded {
		return v.l.token
	}
	return recorded
}

// sessions are the live sessions by the id their client was given.
type sessions struct {
	mu     sync.Mutex
	shared *live
	byID   map[string]*live
	n      int
}

func newSessions() *sessions { return &sessions{shared: newLive(0), byID: map[string]*live{}} }

// maxSessions bounds the sessions that are remembered.
const maxSessions = 100_000

// of returns the session a request belongs to, and its target with the session id taken out. A session id that was not
// given out here begins a session all the same: the client may have it from the recording, or from a server before.
func (s *sessions) of(r *Recording, q *request) (*live, string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	target := pathQuery(q.ex.Request.Head.Target)
	t := tokenIn(target, func(t string) bool { return s.byID[t] != nil || r.legacy(t) })
	if t != "" {
		target = hideToken(target, t)
	} else if t = q.header(sessionHeader); t == "" {
		return s.shared, target
	}
	if s.byID[t] == nil {
		return s.begin(t, t), target
	}
	return s.byID[t], target
}

// start begins a session for a client that is about to be told its id, and returns it. The first client gets the
// recorded id itself.
func (s *sessions) start(recorded string) *live {
	s.mu.Lock()
	defer s.mu.Unlock()
	if l := s.byID[recorded]; l != nil && !l.issued {
		l.issued = true
		return l
	}
	token := recorded
	for s.byID[token] != nil {
		token = fresh(recorded)
	}
	l := s.begin(recorded, token)
	l.issued = true
	return l
}

func (s *sessions) begin(recorded, token string) *live {
	s.n++
	l := newLive(s.n)
	l.recorded, l.token = recorded, token
	if len(s.byID) < maxSessions {
		s.byID[token] = l
	}
	return l
}

// fresh returns another id of the same form: digits for digits, letters for letters.
func fresh(id string) string {
	b := []byte(id)
	r := make([]byte, len(b))
	rand.Read(r)
	for i, c := range b {
		switch {
		case c >= '0' && c <= '9':
			b[i] = '0' + r[i]%10
		case c >= 'a' && c <= 'f':
			b[i] = 'a' + r[i]%6
		case c >= 'g' && c <= 'z':
			b[i] = 'g' + r[i]%20
		case c >= 'A' && c <= 'F':
			b[i] = 'A' + r[i]%6
		case c >= 'G' && c <= 'Z':
			b[i] = 'G' + r[i]%20
		}
	}
	if len(b) < 8 || string(b) == id {
		b = append(b, "-"+rand.Text()[:6]...)
	}
	return string(b)
}

// legacy reports whether t is the session id of a recorded 2024-11-05 session.
func (r *Recording) legacy(t string) bool { return r.tokens[t] }

// begins reports whether the response of e tells the client its session id.
func (e *entry) begins() bool {
	if e.session == "" || e.ex.Request.Head.Has(sessionHeader) {
		return false
	}
	return e.rd.Endpoint != "" || e.ex.Response.Head != nil && e.ex.Response.Head.Has(sessionHeader)
}
