package report

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/analyze"
)

// whereOrder is the order of a response.
var whereOrder = []analyze.Where{analyze.BeforeHead, analyze.BeforeEvents, analyze.BetweenEvents, analyze.InEvent, analyze.InAnswer, analyze.AfterAnswer}

// broken returns the exchanges whose response broke, as the totals count them.
func (w *writer) broken() []*analyze.Case {
	var out []*analyze.Case
	for c := range w.a.Each() {
		if c.Break != nil && c.HopOf == nil && !c.Listens() {
			out = append(out, c)
		}
	}
	return out
}

// breaks shows where and by whom responses were broken, and at which ages.
func (w *writer) breaks() part {
	p := part{ID: "breaks", Title: "Breaks"}
	cs := w.broken()
	if len(cs) == 0 {
		p.Blocks = []block{para("%s.", upper(breakWords(w.a)))}
		if len(w.a.Cuts) > 0 {
			p.Blocks = append(p.Blocks, w.cuts()...)
		}
		return p
	}
	n := map[analyze.Where]map[string]int{}
	kinds := map[string]int{}
	for c := range w.a.Through(cs) {
		if n[c.Break.Where] == nil {
			n[c.Break.Where] = map[string]int{}
		}
		n[c.Break.Where][c.End().By]++
		kinds["the response "+c.HowEnded()]++
	}
	g := &grid{Caption: "Breaks by place and by who ended the stream", Head: []string{"where", "server", "client", "not known", "together"}, Right: map[int]bool{1: true, 2: true, 3: true, 4: true}}
	for _, where := range whereOrder {
		if by := n[where]; by != nil {
			g.add(words(string(where)), count(by["server"]), count(by["client"]), count(by[""]), count(by["server"]+by["client"]+by[""]))
		}
	}
	p.Blocks = append(p.Blocks, block{Table: g}, para("How they ended: %s.", tallied(kinds)))
	p.Blocks = append(p.Blocks, w.cuts()...)
	p.Blocks = append(p.Blocks, block{Picture: scatter(cs)})
	return p
}

// tallied writes counts in words, the greatest first.
func tallied(n map[string]int) string {
	var names []string
	for k := range n {
		names = append(names, k)
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(n[y], n[x]), cmp.Compare(x, y)) })
	s := ""
	for i, k := range names {
		if i > 0 {
			s += ", "
		}
		s += fmt.Sprintf("%s (%d)", k, n[k])
	}
	return s
}

// age is how long after its request a response broke.
func age(c *analyze.Case) time.Duration { return c.Break.At }

// silenceOf is how long nothing had come when the response broke.
func silenceOf(c *analyze.Case) time.Duration {
	return max(0, c.Break.At-max(c.LastByte, c.HeadAt, 0))
}

// cuts is the table of ages at which streams are ended again and again: a limit somewhere.
func (w *writer) cuts() []block {
	if len(w.a.Cuts) == 0 {
		return []block{para("No limit that ends streams at a fixed age, or after a fixed silence, can be told from the breaks.")}
	}
	g := &grid{Caption: "Ends at nearly one age: a limit somewhere", Head: []string{"seems to be", "server", "path", "in words", "ends", "median", "spread", "confidence", "for example"}, Right: map[int]bool{4: true, 5: true, 6: true}}
	for i, k := range w.a.Cuts[:min(len(w.a.Cuts), maxGridRows)] {
		key := fmt.Sprintf("cuts.%d.", i)
		g.add(words(string(k.Kind)), words(k.Server), words(k.Path), words(k.String()), cell{Text: fmt.Sprint(len(k.Cases)), Key: key + "count", Raw: int64(len(k.Cases))},
			cell{Text: analyze.Dur(k.Typical), Key: key + "typical_ns", Raw: int64(k.Typical)}, cell{Text: analyze.Dur(k.Spread), Key: key + "spread_ns", Raw: int64(k.Spread)}, words(k.Confidence), ref(k.Cases[0]))
	}
	return []block{{Table: g}}
}
