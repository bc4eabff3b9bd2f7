package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptrace/analyze"
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
		out = append(out, fmt.Sprintf("%s (%s, %s)", in.Path, in.Kind, plural(amount(a, i))))
	}
	if a.First != 0 {
		out = append(out, fmt.Sprintf("from %s to %s UTC (%s)", w.moment(a.First), w.moment(a.Last), length(a.Last.Sub(a.First))))
	}
	if s := apart(a); s != "" {
		out = append(out, "warning: "+s)
	}
	return out
}

// lead returns three sentences: what happened, how bad it is, how sure that is.
func (w *writer) lead() []string { return []string{w.what(), w.howBad(), w.howSure()} }

func (w *writer) what() string {
	k := &w.callers
	if k.Calls == 0 {
		return fmt.Sprintf("What happened: no call can be told from %s with %s; %s.", analyze.Count(len(w.a.Cases()), "exchange"), w.servers(), breakWords(w.a))
	}
	s := fmt.Sprintf("What happened: %s of %s went to %s", plural(k.Calls, "call"), plural(w.sessions(), "session"), w.servers())
	if k.requests != k.Calls {
		s += " in " + plural(k.requests, "request")
	}
	if k.Answered == k.Calls && k.errors == 0 {
		return s + map[bool]string{true: ", and was answered; ", false: ", and all were answered; "}[k.Calls == 1] + breakWords(w.a) + "."
	}
	return s + fmt.Sprintf(": %s; %s.", k.outcomes(), breakWords(w.a))
}

// sessions counts the sessions of first hops: behind a gateway each may seem to be another.
func (w *writer) sessions() int {
	seen := map[string]bool{}
	for c := range w.a.Each() {
		if c.HopOf == nil {
			seen[session(c)] = true
		}
	}
	return len(seen)
}

// servers names where the requests went, and where a gateway sent them on to.
func (w *writer) servers() string {
	var first, next []string
	for c := range w.a.Each() {
		if n := addressOr(c.Conn.Server); c.HopOf == nil && !slices.Contains(first, n) {
			first = append(first, n)
		}
	}
	for c := range w.a.Each() {
		if n := addressOr(c.Conn.Server); c.HopOf != nil && !slices.Contains(first, n) && !slices.Contains(next, n) {
			next = append(next, n)
		}
	}
	if len(next) == 0 {
		return serverList(first)
	}
	return serverList(first) + ", and on to " + serverList(next)
}

func serverList(names []string) string {
	switch {
	case len(names) == 1 && names[0] == "?":
		return "the server"
	case len(names) == 1:
		return "the server " + names[0]
	case len(names) <= 3:
		return plural(len(names), "server") + " (" + strings.Join(names, ", ") + ")"
	}
	return plural(len(names), "server") + " (" + strings.Join(names[:3], ", ") + ", …)"
}

func (w *writer) howBad() string {
	parts := []string{w.callers.ranTwice(), w.callers.lostOnes()}
	if s := w.callers.rescues(); s != "" {
		parts = append(parts, s)
	}
	if n := len(w.a.HeldOpen()); n > 0 {
		held := plural(n, "stream") + " stayed open long after the answer, "
		if t := w.a.Totals.Blocked; t > 0 {
			held += "for which clients waited " + analyze.Dur(t)
		} else {
			held += "but no client was seen to wait for that"
		}
		parts = append(parts, held)
	}
	return "How bad: " + strings.Join(parts, "; ") + "."
}

func (w *writer) howSure() string {
	s := "How sure: nothing is missing from what was captured"
	if m := missing(w.a); len(m) > 0 {
		s = "How sure: not everything could be read (" + strings.Join(m, ", ") + ")"
	}
	t := textReport{a: w.a}
	s += "; it was recorded " + t.vantage()
	if n := w.callers.Unknown; n > 0 {
		s += fmt.Sprintf("; what became of %s is not known", plural(n, "call"))
	}
	if r := w.repeatsSure(); r != "" {
		s += "; " + r
	}
	return s + "."
}

// repeatsSure says how sure it is that second attempts are such; "" where there are none.
func (w *writer) repeatsSure() string {
	sure, all, low := 0, 0, 0
	for c := range w.a.Each() {
		switch l := c.Reissue; {
		case l == nil || c.HopOf != nil:
		case l.Confidence == "low":
			low++
		default:
			all++
			if l.Confidence == "high" {
				sure++
			}
		}
	}
	var parts []string
	switch {
	case all == 1:
		parts = append(parts, "the second attempt "+map[bool]string{true: "surely", false: "probably"}[sure == 1]+" repeats the first")
	case all > 0 && sure == 0:
		parts = append(parts, fmt.Sprintf("%d second attempts probably repeat earlier ones", all))
	case all > 0 && sure == all:
		parts = append(parts, fmt.Sprintf("%d second attempts surely repeat earlier ones", all))
	case all-sure == 1:
		parts = append(parts, fmt.Sprintf("of %d second attempts %d surely repeat earlier ones, the other probably does", all, sure))
	case all > 0:
		parts = append(parts, fmt.Sprintf("of %d second attempts %d surely repeat earlier ones, the others probably do", all, sure))
	}
	switch {
	case low == 1:
		parts = append(parts, "1 request looks like a repeat of an earlier one, but may be meant")
	case low > 1:
		parts = append(parts, fmt.Sprintf("%d requests look like repeats of earlier ones, but may be meant", low))
	}
	return strings.Join(parts, "; ")
}

// facts are the counts that matter: of the calls first, then of the attempts and streams that carried them.
func (w *writer) facts() []fact {
	t, l := w.a.Totals, w.a.Logical
	n := func(label string, v int, key string) fact {
		return fact{Label: label, Text: fmt.Sprint(v), Key: key, Raw: int64(v)}
	}
	possible := 0
	for _, c := range w.a.Reissues() {
		if c.Reissue.Duplicate == "possible" {
			possible++
		}
	}
	return []fact{
		n("calls", l.Calls, "logical_totals.calls"),
		n("answered", l.Answered, "logical_totals.answered"),
		n("lost", l.Lost, "logical_totals.lost"),
		n("lost although they ran", l.RanAndLost, "logical_totals.ran_and_lost"),
		n("not known", l.Unknown, "logical_totals.unknown"),
		n("second attempts", t.Reissues, "totals.reissues"),
		n("repeat runs, certain", t.Duplicates, "totals.duplicates"),
		n("repeat runs, likely", t.DuplicatesLikely, "totals.duplicates_likely"),
		n("repeat runs, possible", possible, "reissues.possible"),
		n("attempts in all", t.Calls, "totals.calls"),
		n("attempts lost", t.Lost, "totals.lost"),
		n("attempts lost although they ran", t.LostExecuted, "totals.lost_executed"),
		n("breaks", t.Breaks, "totals.breaks"),
		n("breaks after the answer", t.BreaksAfterAnswer, "totals.breaks_after_answer"),
		n("breaks by the client", t.BreaksByClient, "totals.breaks_by_client"),
		n("client closes after the answer", t.ClientClosesAfterAnswer, "totals.client_closes_after_answer"),
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
