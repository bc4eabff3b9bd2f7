package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

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
	t.printf("%s: %s", what, amounts(a))
	if a.First != 0 {
		first, last := a.First.Time().In(t.o.Zone), a.Last.Time().In(t.o.Zone)
		layout := "15:04:05.000 MST"
		if last.YearDay() != first.YearDay() || last.Year() != first.Year() {
			layout = "2006-01-02 15:04:05.000 MST"
		}
		t.printf(", %s to %s (%s)", first.Format("2006-01-02 15:04:05.000"), last.Format(layout), length(a.Last.Sub(a.First)))
	}
	if len(a.Cases()) > 0 {
		t.printf("\n  recorded %s", t.vantage())
	}
	t.printf("\n  not read: %s\n", t.unread())
	if s := apart(a); s != "" {
		t.printf("  warning: %s\n", safe(s))
	}
	if b := a.Blind(); b != 0 && len(a.Cases()) > 0 {
		t.printf("  connections were open when it began: until %s a call may repeat one from before\n", t.clock(b))
	}
}

// amount returns how much input i holds, with the noun for it.
func amount(a *analyze.Analyzer, i int) (int, string) {
	in := &a.Inputs[i]
	switch {
	case in.Kind == "stdio":
		return int(in.Quality.Packets), "line"
	case in.Kind != "recording" || in.Quality.Packets > 0:
		return int(in.Quality.Packets), "packet"
	}
	n := 0
	for c := range a.Each() {
		if c.Conn.Input == i {
			n++
		}
	}
	return n, "exchange"
}

// amounts says how much all inputs hold.
func amounts(a *analyze.Analyzer) string {
	sums := map[string]int{}
	var nouns []string
	for i := range a.Inputs {
		n, noun := amount(a, i)
		if !slices.Contains(nouns, noun) {
			nouns = append(nouns, noun)
		}
		sums[noun] += n
	}
	for i, noun := range nouns {
		nouns[i] = analyze.Count(sums[noun], noun)
	}
	return strings.Join(nouns, ", ")
}

// length writes how long something took, in days or hours where seconds are no measure.
func length(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%.0f days", d.Hours()/24)
	case d >= 2*time.Hour:
		return fmt.Sprintf("%.1f hours", d.Hours())
	}
	return analyze.Dur(d)
}

// asunder is the silence between two inputs from which on it is doubtful that they belong together.
const asunder = time.Hour

// apart says that the inputs may not belong together: for long after the end of some, no other goes on. "" if they may.
func apart(a *analyze.Analyzer) string {
	var ins []*analyze.Input
	for i := range a.Inputs {
		if a.Inputs[i].Quality.First != 0 {
			ins = append(ins, &a.Inputs[i])
		}
	}
	slices.SortStableFunc(ins, func(x, y *analyze.Input) int { return cmp.Compare(x.Quality.First, y.Quality.First) })
	for i := 1; i < len(ins); i++ {
		before := slices.MaxFunc(ins[:i], func(x, y *analyze.Input) int { return cmp.Compare(x.Quality.Last, y.Quality.Last) })
		if d := ins[i].Quality.First.Sub(before.Quality.Last); d >= asunder {
			return fmt.Sprintf("these inputs do not adjoin: %s lie between %s and %s; unless they belong together, give them one by one", length(d), before.Path, ins[i].Path)
		}
	}
	return ""
}

var nearWords = map[string]string{"client": "near the client", "server": "near the server", "middle": "between client and server",
	"same-host": "on the host of client and server", "unknown": "at a place that cannot be told (no handshake seen)"}

// vantage says where the recorder stood, by the connections that carry MCP.
func (t *textReport) vantage() string {
	n := map[string]int{}
	seen := map[*capture.Conn]bool{}
	var order []string
	for c := range t.a.Each() {
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
	count(q.LimitCuts, "thing", " cut off or left out by a limit of mcptrace")
	count(q.HTTP3Packets, "packet", " of HTTP/3")
	if q.TruncatedInput {
		parts = append(parts, "the end of a file")
	}
	for i := range a.Inputs {
		parts = append(parts, a.Inputs[i].Quality.Notes...)
	}
	return parts
}
