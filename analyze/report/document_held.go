package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/analyze"
)

// bill is what streams that stayed open after their answers cost at one server or in one session.
type bill struct {
	name          string
	holds         []time.Duration
	held, blocked time.Duration
	long          int // held for longer than the limit
	session       int // index in Sessions +1
}

func (b *bill) add(c *analyze.Case, long bool) {
	b.holds = append(b.holds, c.Hold.Held)
	b.held += c.Hold.Held
	b.blocked += c.Hold.Blocked
	if long {
		b.long++
	}
}

// held shows what streams held open after the answer cost.
func (w *writer) held() part {
	p := part{ID: "held", Title: "Streams held open after the answer"}
	long := map[*analyze.Case]bool{}
	for c := range w.a.Through(w.a.HeldOpen()) {
		long[c] = true
	}
	all, servers, sessions := w.bills(long)
	if len(all.holds) == 0 {
		p.Blocks = []block{para("No answer came on a stream of its own.")}
		return p
	}
	t := w.a.Totals
	p.Blocks = append(p.Blocks,
		para("%s; %d of %s stayed open for long. %s", holdWords(all), all.long, plural(len(all.holds), "stream"), waited(t.Blocked, t.Hold)),
		block{Table: billTable("By server", servers)}, block{Table: billTable("By session", sessions[:min(len(sessions), maxGridRows)])})
	if n := len(sessions) - maxGridRows; n > 0 {
		p.Blocks = append(p.Blocks, left(n, "sessions"))
	}
	p.Blocks = append(p.Blocks, block{Picture: histogram(all.holds)})
	return p
}

// waited says what the time that streams stayed open cost.
func waited(blocked, held time.Duration) string {
	if blocked == 0 {
		return "No client waited for that."
	}
	return fmt.Sprintf("Clients really waited %s of the %s: that is what returning on the answer would have saved them; the rest was time in which a connection was kept for nothing.", analyze.Dur(blocked), analyze.Dur(held))
}

func holdWords(b *bill) string {
	slices.Sort(b.holds)
	return fmt.Sprintf("After an answer its stream stayed open for %s (p50), %s (p95), %s at worst", analyze.Dur(analyze.Percentile(b.holds, 50)), analyze.Dur(analyze.Percentile(b.holds, 95)), analyze.Dur(b.holds[len(b.holds)-1]))
}

// bills adds up what was held, in all, by server and by session, the dearest first.
func (w *writer) bills(long map[*analyze.Case]bool) (all *bill, servers, sessions []*bill) {
	all = &bill{}
	by := map[string]*bill{}
	of := func(list *[]*bill, key, name string, session int) *bill {
		b := by[key]
		if b == nil {
			b = &bill{name: name, session: session}
			by[key] = b
			*list = append(*list, b)
		}
		return b
	}
	index := map[*analyze.Session]int{}
	for i, s := range w.a.Sessions {
		index[s] = i + 1
	}
	for c := range w.a.Each() {
		if !c.Hold.Known || c.HopOf != nil {
			continue
		}
		all.add(c, long[c])
		server := addressOr(c.Conn.Server)
		of(&servers, "server "+server, server, 0).add(c, long[c])
		of(&sessions, "session "+session(c), session(c), index[c.Group]).add(c, long[c])
	}
	for _, list := range [][]*bill{servers, sessions} {
		slices.SortStableFunc(list, func(x, y *bill) int { return cmp.Or(cmp.Compare(y.blocked, x.blocked), cmp.Compare(y.held, x.held)) })
	}
	return all, servers, sessions
}

func billTable(title string, bills []*bill) *grid {
	g := &grid{Caption: title + ": time streams stayed open after their answers", Head: []string{"", "answered", "held for long", "p50", "p95", "worst", "together", "clients waited (saved by returning on the answer)"},
		Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true}}
	for _, b := range bills {
		slices.Sort(b.holds)
		held := cell{Text: analyze.Dur(b.held), Raw: int64(b.held)}
		blocked := cell{Text: analyze.Dur(b.blocked), Raw: int64(b.blocked)}
		if b.session > 0 {
			held.Key, blocked.Key = fmt.Sprintf("sessions.%d.hold_ns", b.session-1), fmt.Sprintf("sessions.%d.blocked_ns", b.session-1)
		}
		g.add(words(b.name), count(len(b.holds)), count(b.long), span3(analyze.Percentile(b.holds, 50)), span3(analyze.Percentile(b.holds, 95)), span3(b.holds[len(b.holds)-1]), held, blocked)
	}
	return g
}
