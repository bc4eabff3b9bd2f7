package report

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"mcptrace/analyze"
)

// ShowOptions change what Show writes.
type ShowOptions struct {
	Zone    *time.Location // of absolute times; nil: UTC
	Payload int            // characters of payload shown of each event; 0: none
}

// Show writes the time line of one exchange for a terminal: every chunk and event with its offset, time and gap, the
// answer, the ending, what the rules say and what each client policy makes of it. t may be nil. It returns the writer's
// error.
func Show(w io.Writer, a *analyze.Analyzer, c *analyze.Case, t *Track, o ShowOptions) error {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	s := &shower{out: &sticky{w: bufio.NewWriter(w)}, a: a, c: c, t: t, o: o}
	s.head()
	s.line()
	s.said()
	s.clients()
	s.look()
	return s.out.flush()
}

// shower writes one exchange.
type shower struct {
	out *sticky
	a   *analyze.Analyzer
	c   *analyze.Case
	t   *Track
	o   ShowOptions
}

func (s *shower) printf(format string, args ...any) { fmt.Fprintf(s.out, format, args...) }

func (s *shower) head() {
	c := s.c
	s.printf("#%d %s\n", c.ID, safe(clip(c.Name(), 200)))
	s.printf("  %s -> %s, HTTP/%s %s %s", addressOr(c.Conn.Client), addressOr(c.Conn.Server), c.HTTP.Version, safe(c.HTTP.Method), safe(clip(analyze.MaskTarget(c.HTTP.Target), 200)))
	if c.Session() != nil {
		s.printf(", session %s", c.Session().Label)
	}
	s.printf("\n  began %s", c.Start.Time().In(s.o.Zone).Format("2006-01-02 15:04:05.000000 MST"))
	if c.First > 0 {
		s.printf(", packets %d to %d", c.First, c.LastPacket())
	}
	s.printf("\n")
	for _, l := range relations(c) {
		s.printf("  %s\n", l)
	}
}

// relations says how c belongs to other exchanges.
func relations(c *analyze.Case) []string {
	var out []string
	if l := c.Reissue; l != nil {
		out = append(out, fmt.Sprintf("issues #%d again, %s later (%s; ran twice: %s, confidence %s)", l.Of.ID, analyze.Dur(l.Gap), l.Finding, l.Duplicate, l.Confidence))
	}
	if r := c.RepeatedBy; r != nil {
		out = append(out, fmt.Sprintf("was issued again as #%d", r.ID))
	}
	if h := c.HopOf; h != nil {
		out = append(out, fmt.Sprintf("is the next hop of #%d", h.ID))
	}
	if r := c.ResumedBy; r != nil {
		out = append(out, fmt.Sprintf("was resumed by #%d", r.ID))
	}
	return out
}

// line writes the time line.
func (s *shower) line() {
	steps := stepsOf(s.c, s.t, s.a.Last.Sub(s.c.Start))
	var rows [][]string
	var before time.Duration
	for i, p := range steps {
		gap := ""
		if i > 0 {
			gap = "+" + analyze.Dur(p.At-before)
		}
		before = p.At
		rows = append(rows, []string{analyze.Dur(p.At), gap, span(p), packetWords(p.Packet), marks[p.Kind] + " " + p.What})
		if s.o.Payload > 0 && p.Data != nil {
			rows = append(rows, []string{"", "", "", "", "    " + clip(safe(string(p.Data)), s.o.Payload)})
		}
	}
	s.printf("\n")
	if err := table(s.out, []string{"time", "gap", "bytes", "packet", "what"}, map[int]bool{0: true, 1: true, 2: true, 3: true}, rows); err != nil && s.out.err == nil {
		s.out.err = err
	}
	if s.t != nil && s.t.Left > 0 {
		s.printf("%d chunks and events are left out.\n", s.t.Left)
	}
	if s.o.Payload > 0 && s.t != nil {
		s.payload("request", s.t.Request)
		s.payload("response", s.t.Body)
	}
}

func (s *shower) payload(what string, b []byte) {
	if len(b) > 0 {
		s.printf("%s body: %s\n", what, clip(safe(string(b)), s.o.Payload))
	}
}

var marks = map[stepKind]string{stepRequest: ">", stepHead: "<", stepChunk: ".", stepEvent: "-", stepComment: ":", stepAnswer: "*", stepEnd: "=", stepBreak: "x"}

func span(p step) string {
	switch {
	case p.Start >= 0:
		return fmt.Sprintf("%d..%d", p.Start, p.End)
	case p.End >= 0:
		return fmt.Sprint(p.End)
	}
	return ""
}

func packetWords(n int64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

// said writes what the rules say of the exchange.
func (s *shower) said() {
	title := "\nFINDINGS\n"
	for _, f := range s.a.Findings {
		for _, c := range f.Cases {
			if c == s.c {
				s.printf("%s%-5s %s: %s (confidence %s)\n", title, f.Severity, f.Code, safe(clip(f.Message, 500)), f.Confidence)
				title = ""
				break
			}
		}
	}
}

// clients writes what each policy makes of the exchange.
func (s *shower) clients() {
	outs := s.a.Outcomes(s.c)
	if len(outs) == 0 {
		return
	}
	var rows [][]string
	for _, o := range outs {
		back := ""
		if o.Returned >= 0 {
			back = analyze.Dur(o.Returned)
		}
		rows = append(rows, []string{o.Policy, string(o.Verdict), back, analyze.Dur(o.Held), clip(o.Why, 120)})
	}
	s.printf("\nWHAT CLIENTS MAKE OF IT\n")
	if err := table(s.out, []string{"policy", "verdict", "returned after", "held", "why"}, map[int]bool{2: true, 3: true}, rows); err != nil && s.out.err == nil {
		s.out.err = err
	}
}

// look says where to see it in Wireshark.
func (s *shower) look() {
	es := filterOf(s.a, []*analyze.Case{s.c})
	if len(es) == 0 {
		return
	}
	in := ""
	if len(s.a.Inputs) > 1 {
		in = safe(" (" + es[0].Input + ")")
	}
	s.printf("\nIN WIRESHARK%s  %s\n", in, es[0].filter())
	if f := connFilter(s.c); f != "" {
		s.printf("  all of it:  %s\n", f)
	}
}

func addressOr(a interface {
	IsValid() bool
	String() string
}) string {
	if !a.IsValid() {
		return "?"
	}
	return a.String()
}
