package serve

import (
	"cmp"
	"slices"
	"sync"

	"mcptrace/capture"
)

// Recording is the recorded server: exchanges in the order of their first request byte. Fill it with Add, then serve it;
// it may be served by several servers at once, and must not change by then.
type Recording struct {
	entries []*entry
	tokens  map[string]bool // session ids of the 2024-11-05 transport
	exact   map[string][]*entry
	loose   map[string][]*entry
	once    sync.Once
	keep    map[int]bool
}

// entry is one recorded exchange.
type entry struct {
	number  int // from 1, as in every report
	ex      *capture.Exchange
	rd      *capture.Reading
	session string // recorded session id, "" for none
	auth    bool   // the request had credentials
	key     string // key.exact

	once sync.Once
	plan *plan
	inH1 sync.Once
	h1   *entry // for a client of HTTP/1
}

// Add takes an exchange with its reading, in any order. The Recording reads its bytes from then on; the caller must not
// release them before the last server has closed.
func (r *Recording) Add(ex *capture.Exchange, rd *capture.Reading) {
	r.entries = append(r.entries, &entry{ex: ex, rd: rd})
}

// Keep leaves only the exchanges with these numbers. Numbers count all exchanges added, from 1.
func (r *Recording) Keep(numbers []int) {
	r.keep = map[int]bool{}
	for _, n := range numbers {
		r.keep[n] = true
	}
}

// ready numbers the exchanges, finds out which belong to one session and indexes them.
func (r *Recording) ready() {
	r.once.Do(func() {
		slices.SortFunc(r.entries, func(a, b *entry) int {
			return cmp.Or(cmp.Compare(a.ex.Start, b.ex.Start), cmp.Compare(a.ex.Seq, b.ex.Seq))
		})
		for i, e := range r.entries {
			e.number = i + 1
		}
		r.entries = slices.DeleteFunc(r.entries, func(e *entry) bool {
			return e.ex.Request.Head == nil || r.keep != nil && !r.keep[e.number]
		})
		r.exact, r.loose = map[string][]*entry{}, map[string][]*entry{}
		r.tokens = map[string]bool{}
		for _, e := range r.entries {
			if t := endpointToken(e.rd.Endpoint); t != "" {
				r.tokens[t] = true
			}
		}
		for _, e := range r.entries {
			r.index(e)
		}
	})
}

func (r *Recording) index(e *entry) {
	h := e.ex.Request.Head
	target := pathQuery(h.Target)
	e.auth = h.Has("Authorization")
	e.session = h.Get(sessionHeader)
	if e.session == "" && e.ex.Response.Head != nil {
		e.session = e.ex.Response.Head.Get(sessionHeader)
	}
	if e.session == "" {
		e.session = endpointToken(e.rd.Endpoint)
	}
	if e.session == "" {
		e.session = tokenIn(target, func(t string) bool { return r.tokens[t] })
	}
	if r.tokens[e.session] {
		target = hideToken(target, e.session)
	}
	k := keyOf(h.Method, target, h.Get("Last-Event-ID"), e.rd)
	e.key = k.exact
	r.exact[k.exact] = append(r.exact[k.exact], e)
	if k.loose != "" {
		r.loose[k.loose] = append(r.loose[k.loose], e)
	}
}

// before returns the latest exchange of e's session, begun before the moment at, in which the client sent a message of
// that kind with that id; nil: none.
func (r *Recording) before(e *entry, kind capture.CallKind, id string, at capture.Instant) *entry {
	var found *entry
	for _, f := range r.entries {
		if f == e || f.session != e.session || f.ex.Start > at {
			continue
		}
		for i := range f.rd.Calls {
			if c := &f.rd.Calls[i]; c.Kind == kind && canonicalID(string(c.ID)) == id {
				found = f
			}
		}
	}
	return found
}

// owesAnswer reports whether the exchange carries a call.
func (e *entry) owesAnswer() bool {
	for i := range e.rd.Calls {
		if e.rd.Calls[i].IsCall() {
			return true
		}
	}
	return false
}
