package report

import (
	"fmt"
	"strings"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// The first screen: what a person on call needs before any table, within 25 lines.

// captured says what was read, from where it was recorded, and what could not be read.
func (t *textReport) captured() {
	a := t.a
	names := make([]string, 0, len(a.Inputs))
	for _, in := range a.Inputs {
		names = append(names, in.Path)
	}
	what := safe(clip(strings.Join(names, ", "), 80))
	if len(names) > 1 {
		what = fmt.Sprintf("%s (%s)", analyze.Count(len(names), "file"), what)
	}
	t.printf("%s: %s", what, analyze.Count(int(a.Quality.Packets), "packet"))
	if a.First != 0 {
		first, last := a.First.Time().In(t.o.Zone), a.Last.Time().In(t.o.Zone)
		layout := "15:04:05.000 MST"
		if last.YearDay() != first.YearDay() {
			layout = "2006-01-02 15:04:05.000 MST"
		}
		t.printf(", %s to %s (%s)", first.Format("2006-01-02 15:04:05.000"), last.Format(layout), analyze.Dur(a.Last.Sub(a.First)))
	}
	if len(a.Cases()) > 0 {
		t.printf("\n  recorded %s", t.vantage())
	}
	t.printf("\n  not read: %s\n", t.unread())
	if b := a.Blind(); b != 0 && len(a.Cases()) > 0 {
		t.printf("  connections were open when it began: until %s a call may repeat one from before\n", t.clock(b))
	}
}

var nearWords = map[string]string{"client": "near the client", "server": "near the server", "middle": "between client and server",
	"same-host": "on the host of client and server", "unknown": "at a place that cannot be told (no handshake seen)"}

// vantage says where the recorder stood, by the connections that carry MCP.
func (t *textReport) vantage() string {
	n := map[string]int{}
	seen := map[*capture.Conn]bool{}
	var order []string
	for _, c := range t.a.Cases() {
		if seen[c.Conn] {
			continue
		}
		seen[c.Conn] = true
		w := nearWords[c.Near()]
		if c.Conn.Vantage.Kind == "proxy" {
			w = "by the proxy itself"
		}
		if n[w]++; n[w] == 1 {
			order = append(order, w)
		}
	}
	switch len(order) {
	case 1:
		return order[0]
	}
	for i, w := range order {
		order[i] = fmt.Sprintf("%s (%s)", w, analyze.Count(n[w], "connection"))
	}
	return strings.Join(order, ", ")
}

// unread says what could not be read, or that all was, and what was left aside.
func (t *textReport) unread() string {
	q := t.a.Quality
	s := "nothing is missing"
	if parts := missing(t.a); len(parts) > 0 {
		s = strings.Join(parts, ", ")
	}
	if q.DuplicatePackets > 0 {
		s += fmt.Sprintf("; %s of a second copy of the same traffic left aside", analyze.Count(int(q.DuplicatePackets), "packet"))
	}
	if q.NonMCPExchanges > 0 {
		s += fmt.Sprintf("; %s outside MCP left aside", analyze.Count(q.NonMCPExchanges, "HTTP exchange"))
	}
	return s
}

// missing lists what could not be read.
func missing(a *analyze.Analyzer) []string {
	q := a.Quality
	var parts []string
	if q.TCPGaps > 0 {
		parts = append(parts, fmt.Sprintf("%s of %s", analyze.Count(q.TCPGaps, "gap"), analyze.Count(int(q.GapBytes), "byte")))
	}
	count := func(n int, noun, what string) {
		if n > 0 {
			parts = append(parts, analyze.Count(n, noun)+what)
		}
	}
	count(int(q.DroppedByCapture), "packet", " dropped by the capturing program")
	count(q.TLSOpaqueConnections, "TLS connection", " without keys")
	count(q.OneSidedConnections, "connection", " seen in one direction only")
	count(q.SnaplenCutPackets, "packet", " cut by the snap length")
	count(q.UndecodablePackets, "packet", " not decoded")
	count(q.LimitCuts, "message", " cut by a limit of ours")
	count(q.HTTP3Packets, "packet", " of HTTP/3")
	if q.TruncatedInput {
		parts = append(parts, "the end of a file")
	}
	for i := range a.Inputs {
		parts = append(parts, a.Inputs[i].Quality.Notes...)
	}
	return parts
}

// screen writes the rest of the first screen.
func (t *textReport) screen() {
	k := callersOf(t.a)
	in := ""
	if k.requests != k.Calls {
		in = " in " + analyze.Count(k.requests, "request")
	}
	t.printf("\n%s%s: %s. %s.\n\n", analyze.Count(k.Calls, "call"), in, k.outcomes(), upper(breakWords(t.a)))
	t.ranTwice(&k)
	t.lost(&k)
	t.unknown(&k)
	t.harmless()
	t.held()
	t.useful()
	t.clients()
	t.next(&k)
}

const topLines = 3 // of each list on the first screen

func (t *textReport) ranTwice(k *callers) {
	t.printf("RAN TWICE     %d certain, %d likely, %d possible\n", k.ran["certain"], k.ran["likely"], k.ran["possible"])
	cs := t.a.Reissues()
	for i, c := range cs {
		if i == topLines {
			t.printf("    and %d more\n", len(cs)-topLines)
			return
		}
		l := c.Reissue
		t.printf("    %s  %s: %s; #%d %s, again as #%d %s later (packets %d, %d)\n", t.clock(c.Start), l.Duplicate, safe(clip(l.Of.Name(), 40)), l.Of.ID, l.Before(c),
			c.ID, analyze.Dur(l.Gap), l.Of.First, c.First)
	}
}

func (t *textReport) lost(k *callers) {
	t.printf("LOST          %s", analyze.Count(k.Lost, "call"))
	if k.Lost > 0 {
		t.printf(", %d known to have run", k.RanAndLost)
	}
	if s := k.rescues(); s != "" {
		t.printf("; %s", s)
	}
	t.printf("\n")
	for i, s := range k.lost {
		if i == topLines {
			t.printf("    and %d more\n", len(k.lost)-topLines)
			return
		}
		c := s.First()
		t.printf("    %s  #%d %s: %s\n", t.clock(c.Start), c.ID, safe(clip(c.Name(), 48)), lostWords(c))
	}
}

func (t *textReport) unknown(k *callers) {
	if len(k.unknown) == 0 {
		t.printf("UNKNOWN       0 calls\n")
		return
	}
	c := undecided(k.unknown[0])
	why := "the answer was not seen to be acknowledged"
	switch {
	case c.End.Kind == capture.EndOpen:
		why = "the capture ended first"
	case c.R.Holed:
		why = "bytes are missing from the capture"
	case !c.Dispatched():
		why = "its answer is not in the capture"
	}
	t.printf("UNKNOWN       %s; the first is #%d: %s\n", analyze.Count(k.Unknown, "call"), c.ID, why)
}

// undecided returns the attempt for which it is not known what a call came to.
func undecided(s *analyze.Story) *analyze.Case {
	for i := range s.Legs {
		if c := s.Legs[i].Case; c.IsCall() && c.Fate() == "unknown" {
			return c
		}
	}
	return s.First()
}

func (t *textReport) harmless() {
	n := t.a.NotProblems()
	var parts []string
	add := func(k int, what string) {
		if k > 0 {
			parts = append(parts, fmt.Sprintf(what, analyze.Count(k, "stream")))
		}
	}
	add(n.EarlyCloses, "%s closed by a client that had its answer")
	add(n.Polls, "%s closed for the client to poll")
	add(n.RefusedGETs, "%s asked for by GET and refused (405)")
	if n.AuthLegs > 0 {
		parts = append(parts, "credentials asked for "+analyze.Count(n.AuthLegs, "time"))
	}
	if len(parts) > 0 {
		t.printf("NOT PROBLEMS  %s\n", strings.Join(parts, ", "))
	}
}

func (t *textReport) held() {
	cs := t.a.HeldOpen()
	var sum time.Duration
	late := 0
	for _, c := range cs {
		sum += c.Hold.Held
		if c.ClosedAfterAnswer() && !t.a.Consumed(c) {
			late++
		}
	}
	if len(cs) == 0 {
		t.printf("HELD          0 streams\n")
		return
	}
	t.printf("HELD          %s for %s after the answer; clients really waited %s; %d timed out\n", analyze.Count(len(cs), "stream"), analyze.Dur(sum), analyze.Dur(t.a.Totals.Blocked), late)
	t.printf("    longest: #%d %s, answered after %s, held for %s\n", cs[0].ID, safe(clip(cs[0].Name(), 40)), analyze.Dur(cs[0].Answer.At), analyze.Dur(cs[0].Hold.Held))
}

func (t *textReport) useful() {
	if u := t.a.FirstUseful(); len(u) > 0 {
		t.printf("FIRST ANSWER  of use after %s (p50), %s (p95) in %s\n", analyze.Dur(analyze.Percentile(u, 50)), analyze.Dur(analyze.Percentile(u, 95)), analyze.Count(len(u), "session"))
	}
}

func (t *textReport) clients() {
	cs := t.a.Clients()
	for i, x := range cs {
		label := "CLIENTS"
		if i > 0 {
			label = ""
		}
		if i == topLines {
			t.printf("    and %d more\n", len(cs)-topLines)
			return
		}
		name := strings.TrimSpace(x.Name + " " + x.Version)
		if name == "" {
			name = "unnamed"
		}
		if x.UserAgent != "" {
			name += " (" + clip(x.UserAgent, 30) + ")"
		}
		t.printf("%-13s %s: %s%s\n", label, safe(name), analyze.Count(x.Calls, "call"), habits(x))
	}
}

// habits says what a client does, by what it did.
func habits(x analyze.ClientSummary) string {
	var parts []string
	add := func(k int, what string) {
		if k > 0 {
			parts = append(parts, fmt.Sprintf(what, k))
		}
	}
	add(x.Reissued, "issued %d again")
	if x.Waited > 0 {
		parts = append(parts, "waited for the end of "+analyze.Count(x.Waited, "held stream"))
	}
	if x.Early > 0 {
		parts = append(parts, "closed "+analyze.Count(x.Early, "stream")+" once answered")
	}
	add(x.GaveUp, "gave up on %d")
	add(x.Resumed, "resumed %d")
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}

// next names the command that shows more of what matters most.
func (t *textReport) next(k *callers) {
	input := t.o.Input
	if input == "" || input == "-" {
		input = "INPUT"
	}
	id := 0
	if cs := t.a.Reissues(); len(cs) > 0 {
		id = cs[0].Reissue.Of.ID
	} else if len(k.lost) > 0 {
		id = k.lost[0].First().ID
	} else if cs := t.a.HeldOpen(); len(cs) > 0 {
		id = cs[0].ID
	}
	if id != 0 {
		t.printf("NEXT          mcptrace show %s --exchange %d\n", safe(input), id)
	}
}
