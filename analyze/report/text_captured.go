package report

import (
	"fmt"
	"strings"

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
