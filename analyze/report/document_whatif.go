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
	for c := range w.a.Each() {
		if outs := w.a.Outcomes(c); len(outs) > 0 {
			w.replay[c] = outs
		}
	}
}

// sum is what came of all calls under one policy.
type sum struct {
	name    string
	n       map[replay.Verdict]int
	ran     int // of those issued again before the answer was delivered: known to have run
	held    time.Duration
	longest time.Duration // the longest of these holds
	bounded bool          // held is a lower bound
}

// sums adds up the outcomes by policy, each call once, on its first hop; models of recorded clients stand first.
func (w *writer) sums() []sum {
	var out []sum
	for i, p := range w.a.Policies() {
		s := sum{name: p.Name, n: map[replay.Verdict]int{}}
		for c := range w.a.Each() {
			outs := w.replay[c]
			if i >= len(outs) || c.HopOf != nil {
				continue
			}
			o := &outs[i]
			s.n[o.Verdict]++
			if o.Ran {
				s.ran++
			}
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
	p.Blocks = append(p.Blocks, para("%s.", upper(w.playedWords())), block{Table: w.whatIfTable()},
		para("Duplicates: the answer had been delivered and the client would issue the call again. Lost answers: the answer had been delivered and the client reports an error. Errors, hung, issued again and resumed: the answer had not been delivered. Issued again, had run: its result had begun to arrive, so that the call runs twice; of the others issued again it is not known whether they ran."))
	p.Blocks = append(p.Blocks, w.recordedClients()...)
	return p
}

// playedWords says in a clause what the table of policies counts.
func (w *writer) playedWords() string {
	n := 0
	for c := range w.replay {
		if c.HopOf == nil {
			n++
		}
	}
	return fmt.Sprintf("each of %s with a call counts, second attempts included", plural(n, "request"))
}

func (w *writer) whatIfTable() *grid {
	g := &grid{Caption: "The same bytes at the same times, under each client policy",
		Head:  []string{"policy", "answers returned", "duplicates", "lost answers", "errors", "hung", "issued again, had run", "issued again", "resumed", "guessed", "not known", "held after the answer", "longest"},
		Right: map[int]bool{1: true, 2: true, 3: true, 4: true, 5: true, 6: true, 7: true, 8: true, 9: true, 10: true, 11: true, 12: true}}
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
		again := func(which string, k int) cell {
			return cell{Text: fmt.Sprint(k), Key: "replay." + s.name + ".reissued." + which, Raw: int64(k)}
		}
		g.add(words(s.name+w.markOf(s.name)), n(replay.Settled, replay.Salvaged), n(replay.Duplicated), n(replay.Dropped), n(replay.Failed), n(replay.Hung), again("ran", s.ran), again("rest", s.n[replay.Reissued]-s.ran), n(replay.Resumed), n(replay.Guessed), n(replay.Unknown), held, span3(s.longest))
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
