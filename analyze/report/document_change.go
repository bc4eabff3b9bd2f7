package report

import (
	"fmt"
	"slices"
	"strings"

	"mcptrace/analyze"
	"mcptrace/replay"
)

// advice is a change that would have helped, and the exchanges that show why.
type advice struct {
	what, why string
	cases     []*analyze.Case
}

// recommend names the one change that would have helped most, with its evidence.
func (w *writer) recommend() part {
	p := part{ID: "recommended", Title: "Recommended change"}
	x := w.change()
	p.Blocks = append(p.Blocks, para("%s", x.what), para("%s", x.why))
	if len(x.cases) > 0 {
		p.Blocks = append(p.Blocks, block{Table: w.evidenceTable(x.cases)})
	}
	return p
}

// change picks the change: what costs most first, calls that ran twice before calls that were lost before time. It says no
// more than the capture shows: what is not known is no reason to change anything, and no proof that all was well.
func (w *writer) change() *advice {
	for _, look := range []func() *advice{w.overRepeats, w.overLimits, w.overLosses, w.overWaste, w.overBreaks, w.overHolds} {
		if x := look(); x != nil {
			if n := w.callers.Unknown; n > 0 {
				x.why += fmt.Sprintf(" What became of %s is not known.", plural(n, "call"))
			}
			return x
		}
	}
	return w.noChange()
}

// overRepeats is the advice over calls that surely ran twice.
func (w *writer) overRepeats() *advice {
	by := map[string][]*analyze.Case{}
	for c := range w.a.Through(w.a.Reissues()) {
		by[c.Reissue.Finding] = append(by[c.Reissue.Finding], c)
	}
	var x *advice
	after, unframed, executed := by["reissue-after-delivery"], by["reissue-after-unframed-answer"], by["reissue-of-executed"]
	switch {
	case len(after) > 0:
		x = &advice{"In the client: return on the answer, and keep an answer that was dispatched before the stream broke instead of issuing the call again.",
			pluralWas(len(after), "call") + " issued again although the answer had been dispatched before the stream ended." + w.returningEarly(), after}
	case len(unframed) > 0:
		x = &advice{"In the server: write the blank line that ends an event together with the event, and flush both before closing.",
			pluralWas(len(unframed), "call") + " issued again although the JSON of the answer was complete: only what dispatches it was missing.", unframed}
	case len(executed) > 0:
		x = &advice{"Between client and server: agree on an idempotency key for each call, so that a second attempt is recognised.",
			pluralWas(len(executed), "call") + " issued again although the server had run it: the result had not reached the client whole.", executed}
	default:
		return nil
	}
	var others []string
	for c := range w.a.Through(w.a.Reissues()) {
		if c.Reissue.Duplicate == "certain" && !slices.Contains(x.cases, c) {
			others = append(others, fmt.Sprintf("#%d", c.Reissue.Of.ID))
		}
	}
	if n := len(others); n > 0 {
		if n > 5 {
			others = append(others[:5], "…")
		}
		x.why += fmt.Sprintf(" It does not help %s that ran twice for certain (%s).", plural(n, "other call"), strings.Join(others, ", "))
	}
	return x
}

// returningEarly says what a client that returns on the answer would have made of the same bytes.
func (w *writer) returningEarly() string {
	s, ok := w.sumOf("stop-at-answer")
	if !ok {
		return ""
	}
	out := fmt.Sprintf(" Played through a client that returns on the answer (stop-at-answer), the same bytes give %s", plural(s.n[replay.Duplicated], "duplicate"))
	if failed, hung := s.n[replay.Failed], s.n[replay.Hung]; failed+hung > 0 {
		out += fmt.Sprintf(", and still %s and %s without an answer", plural(failed, "error"), plural(hung, "timeout"))
	}
	return out + "."
}

// overLimits is the advice over something that ends streams after a fixed time.
func (w *writer) overLimits() *advice {
	for _, k := range w.a.Cuts {
		why := upper(k.String()) + "."
		switch k.Kind {
		case analyze.IdleLimit:
			return &advice{fmt.Sprintf("On the way: something ends streams that are silent for %s. Let the server send a comment more often than that, or raise the limit.", analyze.Dur(k.Typical)), why, k.Cases}
		case analyze.DurationLimit:
			return &advice{fmt.Sprintf("On the way: something ends streams that last for %s, silent or not. Raise the limit.", analyze.Dur(k.Typical)), why, k.Cases}
		}
	}
	return nil
}

// overWaste is the advice over calls that were issued again although their answers had come, and did not run again.
func (w *writer) overWaste() *advice {
	var cs []*analyze.Case
	for c := range w.a.Each() {
		if l := c.Reissue; l != nil && l.Finding == "reissue-after-delivery" && l.Confidence != "low" {
			cs = append(cs, c)
		}
	}
	if len(cs) == 0 {
		return nil
	}
	return &advice{"In the client: keep an answer that was dispatched before the stream broke instead of issuing the call again.",
		pluralWas(len(cs), "call") + " issued again although the answer had been dispatched; this time none is known to have run twice for that.", cs}
}

// overBreaks is the advice over streams that broke behind their answers and cost nothing here.
func (w *writer) overBreaks() *advice {
	var cs []*analyze.Case
	for c := range w.a.Through(w.broken()) {
		if c.Break.Where == analyze.AfterAnswer && c.End().By != "client" {
			cs = append(cs, c)
		}
	}
	if len(cs) == 0 {
		return nil
	}
	x := &advice{"In the server, or what stands in front of it: find out what ends the streams after the answer.",
		fmt.Sprintf("%s broke after the answer. No call is known to be lost or to have run twice for that.", plural(len(cs), "response")), cs}
	if s, ok := w.sumOf("discard-reissue"); ok && s.n[replay.Duplicated] > 0 {
		x.why += fmt.Sprintf(" With a client that throws broken bodies away (discard-reissue), the same bytes give %s.", plural(s.n[replay.Duplicated], "duplicate"))
	}
	return x
}

// overHolds is the advice over streams that stayed open after the answer.
func (w *writer) overHolds() *advice {
	held := w.a.HeldOpen()
	if len(held) == 0 {
		return nil
	}
	what := "In the server: end the stream once the answer is sent."
	if w.a.Totals.Blocked > 0 {
		what = "In the client: return on the answer instead of waiting for the end of the stream; in the server: end the stream once the answer is sent."
	}
	return &advice{what, fmt.Sprintf("%s stayed open long after the answer; clients waited %s for that.", plural(len(held), "stream"), analyze.Dur(w.a.Totals.Blocked)), held}
}

// noChange says that there is nothing to recommend, and whether that is for want of trouble or of knowledge.
func (w *writer) noChange() *advice {
	k := &w.callers
	if len(k.unknown) > 0 {
		var cs []*analyze.Case
		for _, s := range k.unknown {
			cs = append(cs, undecided(s))
		}
		return &advice{fmt.Sprintf("Nothing can be recommended: what became of %s is not known.", plural(k.Unknown, "call")), fmt.Sprintf("The first is %s: %s; %s.", cs[0].Name(), whyUnknown(cs[0]), whoKnows(cs[0])), cs}
	}
	var open []string
	if m := missing(w.a); len(m) > 0 {
		open = append(open, "not everything could be read ("+strings.Join(m, ", ")+")")
	}
	if k.doubtful > 0 {
		open = append(open, k.rescues())
	}
	if n := len(k.guessed); n > 0 {
		open = append(open, plural(n, "call")+" may have run twice "+k.guesses())
	}
	why := "No call is known to have run twice or to be lost, and no stream was held open for long"
	if len(open) == 0 {
		return &advice{what: "None: this capture shows nothing that calls for one.", why: why + "."}
	}
	return &advice{what: "Nothing can be recommended for certain.", why: why + "; but " + strings.Join(open, "; ") + "."}
}

// upper begins a sentence.
func upper(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

func pluralWas(n int, noun string) string {
	if n == 1 {
		return "1 " + noun + " was"
	}
	return plural(n, noun) + " were"
}

// evidenceTable shows the first few exchanges a claim rests on.
func (w *writer) evidenceTable(cs []*analyze.Case) *grid {
	g := &grid{Caption: "Evidence (first of them)", Head: []string{"exchange", "time (UTC)", "call", "answer dispatched after", "how it ended", "packets"}}
	for _, c := range cs[:min(len(cs), 5)] {
		x := c
		if c.Reissue != nil {
			x = c.Reissue.Of
		}
		at := "never"
		if x.Dispatched() {
			at = analyze.Dur(x.Answer().At)
		}
		name := cell{Text: fmt.Sprintf("#%d", x.ID), Ref: x.ID}
		if c != x {
			name.Text += fmt.Sprintf(", again as #%d", c.ID)
		}
		cs := []*analyze.Case{x}
		if c != x {
			cs = append(cs, c)
		}
		var packets []string
		for _, e := range filterOf(w.a, cs) {
			packets = append(packets, e.filter()+w.of(e.Input))
		}
		g.add(name, words(w.moment(x.Start)), words(x.Name()), words(at), words(lostWords(x)), words(strings.Join(packets, "; ")))
	}
	return g
}
