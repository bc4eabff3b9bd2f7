package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// from says what was read.
func (w *writer) from() []string {
	a := w.a
	var out []string
	for i, in := range a.Inputs {
		if i == 10 {
			out = append(out, fmt.Sprintf("and %d more", len(a.Inputs)-i))
			break
		}
		out = append(out, fmt.Sprintf("%s (%s, %s)", in.Path, in.Kind, plural(int(in.Quality.Packets), "packet")))
	}
	if a.First != 0 {
		out = append(out, fmt.Sprintf("from %s to %s UTC (%s)", w.moment(a.First), w.moment(a.Last), analyze.Dur(a.Last.Sub(a.First))))
	}
	return out
}

// lead returns three sentences: what happened, how bad it is, how sure that is.
func (w *writer) lead() []string { return []string{w.what(), w.howBad(), w.howSure()} }

func (w *writer) what() string {
	t := w.a.Totals
	s := fmt.Sprintf("What happened: %s of %s reached %s; ", plural(t.Calls, "call"), plural(len(w.a.Sessions), "session"), w.servers())
	if t.Breaks == 0 {
		return s + "no response stream broke."
	}
	s += fmt.Sprintf("%s broke, %d of them after the answer had been dispatched", plural(t.Breaks, "response stream"), t.BreaksAfterAnswer)
	if t.Reissues > 0 {
		s += fmt.Sprintf(", and clients issued %s again", plural(t.Reissues, "call"))
	}
	return s + "."
}

func (w *writer) servers() string {
	var names []string
	for _, c := range w.a.Cases() {
		if n := addressOr(c.Conn.Server); !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	switch {
	case len(names) == 1:
		return "the server " + names[0]
	case len(names) <= 3:
		return plural(len(names), "server") + " (" + strings.Join(names, ", ") + ")"
	}
	return plural(len(names), "server") + " (" + strings.Join(names[:3], ", ") + ", …)"
}

func (w *writer) howBad() string {
	t := w.a.Totals
	var parts []string
	if t.Duplicates+t.DuplicatesLikely > 0 {
		parts = append(parts, fmt.Sprintf("%s ran twice for certain, %d of them not known to be safe to repeat, and %d more likely did", plural(t.Duplicates, "call"), w.harmful(), t.DuplicatesLikely))
	} else {
		parts = append(parts, "no call is known to have run twice")
	}
	parts = append(parts, fmt.Sprintf("%s got no answer, %d of these although they ran", plural(t.Lost, "call"), t.LostExecuted))
	if n := len(w.a.HeldOpen()); n > 0 {
		parts = append(parts, fmt.Sprintf("%s stayed open long after the answer, for which clients waited %s", plural(n, "stream"), analyze.Dur(t.Blocked)))
	}
	return "How bad: " + strings.Join(parts, "; ") + "."
}

// harmful counts the calls that ran twice for certain and are not known to be safe to repeat.
func (w *writer) harmful() int {
	n := 0
	for _, c := range w.a.Reissues() {
		if c.Reissue.Duplicate == "certain" && c.Safety != analyze.Safe && c.Safety != analyze.HintedSafe {
			n++
		}
	}
	return n
}

func (w *writer) howSure() string {
	t := textReport{a: w.a}
	s := "How sure: "
	switch missing := t.unread(); {
	case strings.HasPrefix(missing, "nothing is missing"):
		s += "nothing is missing from the capture"
	default:
		s += "not everything could be read (" + missing + ")"
	}
	s += ", it was recorded " + t.vantage()
	if n := w.a.Totals.Unknown; n > 0 {
		s += fmt.Sprintf(", what became of %s is not known", plural(n, "call"))
	}
	low := 0
	for _, c := range w.a.Reissues() {
		if c.Reissue.Confidence != "high" {
			low++
		}
	}
	if n := len(w.a.Reissues()); n > 0 {
		s += fmt.Sprintf(", and that a call repeats an earlier one is certain of %d of %d", n-low, n)
	}
	return s + "."
}

// facts are the counts that matter.
func (w *writer) facts() []fact {
	t := w.a.Totals
	n := func(label string, v int, key string) fact {
		return fact{Label: label, Text: fmt.Sprint(v), Key: "totals." + key, Raw: int64(v)}
	}
	return []fact{
		n("calls", t.Calls, "calls"),
		n("delivered", t.Delivered, "delivered"),
		n("ran twice, certain", t.Duplicates, "duplicates"),
		n("ran twice, likely", t.DuplicatesLikely, "duplicates_likely"),
		n("lost", t.Lost, "lost"),
		n("lost although they ran", t.LostExecuted, "lost_executed"),
		n("not known", t.Unknown, "unknown"),
		n("issued again", t.Reissues, "reissues"),
		n("breaks", t.Breaks, "breaks"),
		n("breaks after the answer", t.BreaksAfterAnswer, "breaks_after_answer"),
		n("breaks by the client", t.BreaksByClient, "breaks_by_client"),
		n("client closes after the answer", t.ClientClosesAfterAnswer, "client_closes_after_answer"),
		{Label: "streams open after answers", Text: analyze.Dur(t.Hold), Key: "totals.hold_ns", Raw: int64(t.Hold)},
		{Label: "clients waited for that", Text: analyze.Dur(t.Blocked), Key: "totals.blocked_ns", Raw: int64(t.Blocked)},
	}
}

// choose picks the exchanges that are described one by one: those that findings name, the gravest first.
func (w *writer) choose() {
	w.refs = map[*analyze.Case]bool{}
	for _, sev := range []analyze.Severity{analyze.Error, analyze.Warn, analyze.Info} {
		for _, f := range w.a.Findings {
			if f.Severity != sev {
				continue
			}
			for _, c := range f.Cases {
				w.pick(c)
				if l := c.Reissue; l != nil {
					w.pick(l.Of)
				}
			}
		}
	}
	slices.SortFunc(w.shown, func(x, y *analyze.Case) int { return x.ID - y.ID })
}

func (w *writer) pick(c *analyze.Case) {
	if !w.refs[c] && len(w.shown) < maxWaterfall && c.ID > 0 {
		w.refs[c] = true
		w.shown = append(w.shown, c)
	}
}

// plural writes a count with its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// cannotShow says what no reader of this capture can know.
func (w *writer) cannotShow() part {
	t := textReport{a: w.a}
	p := part{ID: "cannot-show", Title: "What this capture cannot show"}
	say := func(format string, args ...any) { p.Blocks = append(p.Blocks, para(format, args...)) }
	say("Whether the client's program read an answer. “Delivered” means that the bytes reached the client's host (or a proxy that spoke for it), by its own acknowledgement or by what it sent later.")
	say("What servers did without sending anything: a call without a single response byte may or may not have run; such a call counts as “possible” when it is issued again.")
	if b := w.a.Blind(); b != 0 {
		say("Connections were open when the capture began: until %s UTC a call may repeat one from before, which nothing here can tell.", w.moment(b))
	}
	if m := t.unread(); !strings.HasPrefix(m, "nothing is missing") {
		say("Not read: %s.", m)
	}
	near := map[string]bool{}
	for _, c := range w.a.Cases() {
		near[c.Near()] = true
	}
	if near["server"] || near["middle"] {
		say("Times are those of the recorder, which did not stand at the client: what passed it may have reached the client later, or not at all where a reset crossed it.")
	}
	if n := w.open(); n > 0 {
		say("How %s went on that %s still open when the capture ended.", plural(n, "exchange"), map[bool]string{true: "was", false: "were"}[n == 1])
	}
	return p
}

func (w *writer) open() int {
	n := 0
	for _, c := range w.a.Cases() {
		if c.End.Kind == capture.EndOpen {
			n++
		}
	}
	return n
}
