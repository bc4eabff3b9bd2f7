package report

import (
	"fmt"
	"time"

	"mcptrace/analyze"
)

// maxDots bounds what a scatter draws.
const maxDots = 1000

// scatter shows the age of breaks against the silence before them: a limit on either shows as a line.
func scatter(cs []*analyze.Case) *picture {
	high := time.Millisecond
	for _, c := range cs {
		high = max(high, age(c))
	}
	low := max(high/10_000, 100*time.Microsecond)
	g := &grid{Head: []string{"exchange", "age", "silence", "where", "by"}, Right: map[int]bool{1: true, 2: true}}
	for _, c := range cs[:min(len(cs), maxGridRows)] {
		g.add(ref(c), span3(age(c)), span3(silenceOf(c)), words(string(c.Break.Where)), words(c.End().By))
	}
	s := fmt.Sprintf("Each break by the age of its exchange and the silence before it: a disc where it came after the answer, a cross elsewhere. Values below %s stand at the edge.", analyze.Dur(low))
	if n := len(cs) - maxDots; n > 0 {
		s += fmt.Sprintf(" %d more are not drawn.", n)
	}
	if n := len(cs) - maxGridRows; n > 0 {
		s += fmt.Sprintf(" The table leaves out %d.", n)
	}
	return &picture{Title: "Age of breaks against the silence before them", Drawing: drawScatter(640, cs, low, high), Narrow: drawScatter(narrow, cs, low, high), Table: g, Words: s}
}

func drawScatter(width float64, cs []*analyze.Case, low, high time.Duration) *drawing {
	d := &drawing{W: width, H: 300}
	const left = 58.0
	right := width - 30
	x, y := newAxis(left, right, low, high, true), newAxis(240, 20, low, high, true)
	d.below(x, 240, "age of the exchange when it broke (logarithmic)")
	d.line("axis", left, 20, left, 240)
	for _, t := range y.ticks() {
		d.line("grid", left, y.at(t), right, y.at(t))
		d.text("tick", "end", left-6, y.at(t)+4, analyze.Dur(t))
	}
	d.text("tick", "start", left+2, 14, "silence before it (logarithmic)")
	for _, c := range cs[:min(len(cs), maxDots)] {
		kind := stepBreak
		if c.Break.Where == analyze.AfterAnswer {
			kind = stepAnswer
		}
		d.mark(kind, x.at(age(c)), y.at(silenceOf(c)),
			fmt.Sprintf("#%d: %s, age %s, silence %s", c.ID, c.Break.Where, analyze.Dur(age(c)), analyze.Dur(silenceOf(c))))
	}
	return d
}
