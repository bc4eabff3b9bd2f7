package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptrace/analyze"
	"mcptrace/replay"
)

type outcome = replay.Outcome

// play lets every policy have every exchange, once.
func (w *writer) play() {
	w.models, w.replay = w.a.Models(), map[*analyze.Case][]outcome{}
	for _, c := range w.a.Cases() {
		if outs := w.a.Outcomes(c); len(outs) > 0 {
			w.replay[c] = outs
		}
	}
}

// sum is what came of all calls under one policy.
type sum struct {
	name    string
	n       map[replay.Verdict]int
	held    time.Duration
	longest time.Duration // the longest of these holds
	bounded bool          // held is a lower bound
}

// sums adds up the outcomes by policy, each call once, on its first hop; models of recorded clients stand first.
func (w *writer) sums() []sum {
	var out []sum
	for i, p := range w.a.Policies() {
		s := sum{name: p.Name, n: map[replay.Verdict]int{}}
		for _, c := range w.a.Cases() {
			outs := w.replay[c]
			if i >= len(outs) || c.HopOf != nil {
				continue
			}
			o := &outs[i]
			s.n[o.Verdict]++
			s.held += o.Held
			s.longest = max(s.longest, o.Held)
			s.bounded = s.bounded || o.Censored && o.Held > 0
		}
		out = append(out, s)
	}
	place := map[string]int{}
	for i, m := range w.models {
		place[m.Policy.Name] = i - len(w.a.Policies())
	}
	slices.SortStableFunc(out, func(x, y sum) int { return cmp.Compare(place[x.name], place[y.name]) })
	return out
}

// whatIf is what other clients would have made of the same bytes, and where the recorded one did otherwise than its model.
func (w *writer) whatIf() part {
	p := part{ID: "what-if", Title: "What other clients would have made of it"}
	p.Blocks = append(p.Blocks, block{Table: w.whatIfTable()},
		para("Duplicates: the answer had been delivered and the client would issue the call again. Lost answers: the answer had been delivered and the client reports an error. Errors, hung, issued again and resumed: the answer had not been delivered."))
	p.Blocks = append(p.Blocks, w.recordedClients()...)
	return p
}

func (w *writer) whatIfTable() *grid {
	g := &grid{Caption: "The same bytes at the same times, under each client policy",
		Head:  []string{"policy", "answers returned", "duplicates", "lost answers", "errors", "hung", "issued again", "resumed", "guessed", "not known", "held after the answer", "longest"},
		Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true}}
	for _, s := range w.sums() {
		held := cell{Text: analyze.Dur(s.held), Key: "replay." + s.name + ".held_ns", Raw: int64(s.held)}
		if s.bounded {
			held.Text = "at least " + held.Text
		}
		n := func(vs ...replay.Verdict) cell {
			k, names := 0, make([]string, len(vs))
			for i, v := range vs {
				k += s.n[v]
				names[i] = string(v)
			}
			return cell{Text: fmt.Sprint(k), Key: "replay." + s.name + "." + strings.Join(names, "+"), Raw: int64(k)}
		}
		g.add(words(s.name+w.markOf(s.name)), n(replay.Settled, replay.Salvaged), n(replay.Duplicated), n(replay.Dropped), n(replay.Failed), n(replay.Hung), n(replay.Reissued), n(replay.Resumed), n(replay.Guessed), n(replay.Unknown), held, span3(s.longest))
	}
	return g
}

// sumOf returns the sum of one policy, ok false where it was not played.
func (w *writer) sumOf(name string) (sum, bool) {
	for _, s := range w.sums() {
		if s.name == name {
			return s, true
		}
	}
	return sum{}, false
}

// recommend names the one change that would have helped most, with its evidence.
func (w *writer) recommend() part {
	p := part{ID: "recommended", Title: "Recommended change"}
	what, why, cs := w.change()
	p.Blocks = append(p.Blocks, para("%s", what), para("%s", why))
	if len(cs) > 0 {
		p.Blocks = append(p.Blocks, block{Table: w.evidenceTable(cs)})
	}
	return p
}

// change picks the change: what costs most first, calls that ran twice before calls that were lost before time.
func (w *writer) change() (what, why string, cs []*analyze.Case) {
	by := map[string][]*analyze.Case{}
	for _, c := range w.a.Reissues() {
		by[c.Reissue.Finding] = append(by[c.Reissue.Finding], c)
	}
	after, unframed, executed := by["reissue-after-delivery"], by["reissue-after-unframed-answer"], by["reissue-of-executed"]
	lost := w.a.Fates("lost")
	switch {
	case len(after) > 0:
		why = fmt.Sprintf("%s issued again although the answer had been dispatched before the stream ended.", pluralWas(len(after), "call"))
		if s, ok := w.sumOf("stop-at-answer"); ok {
			why += fmt.Sprintf(" Played through a client that returns on the answer (stop-at-answer), the same bytes give %s.", plural(s.n[replay.Duplicated], "duplicate"))
		}
		return "In the client: return on the answer, and keep an answer that was dispatched before the stream broke instead of issuing the call again.", why, after
	case len(unframed) > 0:
		return "In the server: write the blank line that ends an event together with the event, and flush both before closing.",
			fmt.Sprintf("%s issued again although the JSON of the answer was complete: only what dispatches it was missing.", pluralWas(len(unframed), "call")), unframed
	case len(executed) > 0:
		return "Between client and server: agree on an idempotency key for each call, so that a second attempt is recognised.",
			fmt.Sprintf("%s issued again after the answer had begun to arrive: the server had run it, and no client could have known the result.", pluralWas(len(executed), "call")), executed
	}
	for _, k := range w.a.Cuts {
		switch k.Kind {
		case analyze.IdleLimit:
			return fmt.Sprintf("On the way: something ends streams that are silent for %s. Let the server send a comment more often than that, or raise the limit.", analyze.Dur(k.Typical)), upper(k.String()) + ".", k.Cases
		case analyze.DurationLimit:
			return fmt.Sprintf("On the way: something ends streams that last for %s, silent or not. Raise the limit.", analyze.Dur(k.Typical)), upper(k.String()) + ".", k.Cases
		}
	}
	if len(lost) > 0 {
		return "In the server, or what stands in front of it: find out what ends the streams before the answer.",
			fmt.Sprintf("%s got no answer; the table says how each ended.", plural(len(lost), "attempt")), lost
	}
	if held := w.a.HeldOpen(); len(held) > 0 {
		who := "In the server: end the stream once the answer is sent."
		if w.a.Totals.Blocked > 0 {
			who = "In the client: return on the answer instead of waiting for the end of the stream; in the server: end the stream once the answer is sent."
		}
		return who, fmt.Sprintf("%s stayed open long after the answer; clients waited %s for that.", plural(len(held), "stream"), analyze.Dur(w.a.Totals.Blocked)), held
	}
	return "None: this capture shows nothing that calls for one.", "No call ran twice, none was lost, no stream was held open for long.", nil
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
			at = analyze.Dur(x.Answer.At)
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
