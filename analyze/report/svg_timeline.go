package report

import (
	"fmt"
	"slices"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// Limits of the timeline.
const (
	maxLanes = 24
	maxRows3 = 5 // bars side by side in one lane
	maxBars  = 1500
)

// lane is one session in the timeline.
type lane struct {
	s    *analyze.Session
	rows []float64 // where the last bar of each row ends
	y    float64
}

// timeline shows the incident: sessions as lanes, exchanges as bars, answers, breaks, and arrows to second attempts.
func (w *writer) timeline() part {
	p := part{ID: "timeline", Title: "Timeline"}
	lanes, left := w.lanes()
	bars, undrawn := w.bars(lanes)
	first, last := w.span(bars)
	draw := func(width float64) *drawing { return w.drawTimeline(width, lanes, bars, first, last) }
	s := fmt.Sprintf("%s of %s, each lane a session, each bar an exchange.", plural(len(bars), "exchange"), plural(len(lanes), "session"))
	if left > 0 {
		s += fmt.Sprintf(" %s with fewer findings are left out.", plural(left, "session"))
	}
	if undrawn > 0 {
		s += fmt.Sprintf(" %s without warnings are left out.", plural(undrawn, "exchange"))
	}
	p.Blocks = []block{{Picture: &picture{Title: "Timeline of the incident", Drawing: draw(1100), Narrow: draw(narrow), Words: s, Table: w.timeTable(bars)}}}
	return p
}

// drawTimeline draws the lanes one below the other.
func (w *writer) drawTimeline(width float64, lanes []*lane, bars []*analyze.Case, first, last capture.Instant) *drawing {
	d := &drawing{W: width}
	left, right := 10.0, width-20
	for _, l := range lanes {
		left = max(left, 12+7*float64(len(l.s.Label)))
	}
	x := newAxis(left, right, 0, last.Sub(first), false)
	place := layOut(bars, lanes, x, first)
	bottom := 24.0
	for _, l := range lanes {
		bottom = max(bottom, l.y+float64(max(1, len(l.rows)))*12)
	}
	for _, l := range lanes {
		d.text("lane", "start", 4, l.y+9, l.s.Label)
		d.line("grid", left, l.y-4, right, l.y-4)
	}
	for _, c := range bars {
		d.bar(c, place[c], x, first, w.a.Last)
	}
	for _, c := range bars {
		if l := c.Reissue; l != nil && l.Duplicate != "no" {
			d.arrow(c, place, x, first)
		}
	}
	d.H = bottom + 58
	d.below(x, bottom+6, "time since "+w.moment(first)+" UTC")
	d.legend(left, bottom+54, "bar: exchange", "● answer", "× break", "dashed frame: attempt lost", "arrow: issued again")
	return d
}

// lanes returns the sessions with the gravest findings, in order of their start.
func (w *writer) lanes() (out []*lane, left int) {
	grave := w.a.Grave()
	weight := map[*analyze.Session]int{}
	for _, s := range w.a.Sessions {
		for _, c := range s.Cases {
			weight[s] = max(weight[s], int(grave[c.ID])*1000+1)
		}
	}
	ss := slices.Clone(w.a.Sessions)
	slices.SortStableFunc(ss, func(x, y *analyze.Session) int { return weight[y] - weight[x] })
	left = max(0, len(ss)-maxLanes)
	ss = ss[:len(ss)-left]
	slices.SortStableFunc(ss, func(x, y *analyze.Session) int { return int(min(max(x.Start-y.Start, -1), 1)) })
	for _, s := range ss {
		out = append(out, &lane{s: s})
	}
	return out, left
}

// bars returns the exchanges of the lanes, and how many are left out: the harmless ones, where there are too many.
func (w *writer) bars(lanes []*lane) (out []*analyze.Case, left int) {
	in := map[*analyze.Session]bool{}
	for _, l := range lanes {
		in[l.s] = true
	}
	var all []*analyze.Case
	for c := range w.a.Each() {
		if in[c.Group] {
			all = append(all, c)
		}
	}
	if len(all) <= maxBars {
		return all, 0
	}
	grave := w.a.Grave()
	for _, c := range all {
		if (grave[c.ID] >= analyze.Warn || c.Reissue != nil || c.RepeatedBy != nil) && len(out) < maxBars {
			out = append(out, c)
		}
	}
	return out, len(all) - len(out)
}

// span returns the time that the bars cover.
func (w *writer) span(bars []*analyze.Case) (first, last capture.Instant) {
	if len(bars) == 0 {
		return w.a.First, w.a.Last
	}
	first = bars[0].Start
	for _, c := range bars {
		last = max(last, c.Start+capture.Instant(lasted(c, w.a.Last)))
	}
	return first, last
}

// lasted is how long an exchange took, or had taken when the capture ended.
func lasted(c *analyze.Case, last capture.Instant) time.Duration {
	if c.End().Kind == capture.EndOpen {
		return max(0, last.Sub(c.Start))
	}
	return max(0, c.End().At)
}

// layOut gives each bar its row: bars that would overlap stand below each other.
func layOut(bars []*analyze.Case, lanes []*lane, x axis, first capture.Instant) map[*analyze.Case]float64 {
	of := map[*analyze.Session]*lane{}
	for _, l := range lanes {
		of[l.s], l.rows = l, nil
	}
	row := map[*analyze.Case]int{}
	for _, c := range bars {
		l := of[c.Group]
		start := x.at(c.Start.Sub(first))
		end := max(start+3, x.at(c.Start.Sub(first)+max(0, c.End().At)))
		k := slices.IndexFunc(l.rows, func(e float64) bool { return e < start-1 })
		switch {
		case k < 0 && len(l.rows) < maxRows3:
			k = len(l.rows)
			l.rows = append(l.rows, end)
		case k < 0:
			k = len(l.rows) - 1
		}
		l.rows[k], row[c] = max(l.rows[k], end), k
	}
	y := 20.0
	for _, l := range lanes {
		l.y = y
		y += float64(max(1, len(l.rows)))*12 + 8
	}
	place := map[*analyze.Case]float64{}
	for _, c := range bars {
		place[c] = of[c.Group].y + float64(row[c])*12
	}
	return place
}

// bar draws one exchange.
func (d *drawing) bar(c *analyze.Case, y float64, x axis, first, last capture.Instant) {
	from := x.at(c.Start.Sub(first))
	to := max(from+2, x.at(c.Start.Sub(first)+lasted(c, last)))
	class := "exchange"
	if c.IsCall() && c.Fate() == "lost" {
		class = "exchange lost"
	}
	tip := fmt.Sprintf("#%d %s: the response %s", c.ID, clip(c.Name(), 120), c.HowEnded())
	d.rect(class, from, y, to-from, 9, tip)
	if c.Dispatched() && c.IsCall() && c.Answer().At >= 0 {
		d.mark(stepAnswer, x.at(c.Start.Sub(first)+c.Answer().At), y+4.5, fmt.Sprintf("#%d answered after %s", c.ID, analyze.Dur(c.Answer().At)))
	}
	if c.Break != nil {
		d.mark(stepBreak, to, y+4.5, fmt.Sprintf("#%d broke %s", c.ID, whereWords[c.Break.Where]))
	}
}

// arrow leads from the end of a first attempt to the second.
func (d *drawing) arrow(c *analyze.Case, place map[*analyze.Case]float64, x axis, first capture.Instant) {
	of := c.Reissue.Of
	y, ok := place[of]
	if !ok {
		return
	}
	x1, y1 := x.at(of.Start.Sub(first)+max(0, of.End().At)), y+4.5
	x2, y2 := x.at(c.Start.Sub(first)), place[c]+4.5
	d.path("again", fmt.Sprintf("M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1f", x1, y1, x1+14, y1-10, x2-14, y2-10, x2, y2),
		fmt.Sprintf("#%d was issued again as #%d (%s)", of.ID, c.ID, c.Reissue.Duplicate))
}

// timeTable is the timeline in words.
func (w *writer) timeTable(bars []*analyze.Case) *grid {
	g := &grid{Head: []string{"exchange", "time (UTC)", "session", "call", "answer after", "how it ended", "after", "issued again as"}, Right: map[int]bool{4: true, 6: true}}
	grave := w.a.Grave()
	for _, c := range bars {
		if len(bars) > maxGridRows && grave[c.ID] < analyze.Warn || len(g.Rows) == 2*maxGridRows {
			continue
		}
		answered, again := "", words("")
		if c.Dispatched() {
			answered = analyze.Dur(c.Answer().At)
		}
		if c.RepeatedBy != nil {
			again = ref(c.RepeatedBy)
		}
		g.add(ref(c), words(w.moment(c.Start)), words(session(c)), words(c.Name()), words(answered), words("the response "+c.HowEnded()), words(analyze.Dur(lasted(c, w.a.Last))), again)
	}
	if n := len(bars) - len(g.Rows); n > 0 {
		g.Caption = fmt.Sprintf("%d exchanges without warnings are left out", n)
	}
	return g
}
