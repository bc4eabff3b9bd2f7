package report

import (
	"fmt"
	"math"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// waterfall shows one exchange: the body's bytes over time, with what they dispatched.
func waterfall(c *analyze.Case, t *Track, steps []step) *picture {
	g := &grid{Head: []string{"time", "gap", "bytes", "packet", "what"}, Right: map[int]bool{0: true, 1: true, 2: true, 3: true}}
	var before time.Duration
	for i, s := range steps {
		if i >= maxGridRows && i < len(steps)-10 {
			continue
		}
		g.add(span3(s.At), words("+"+analyze.Dur(s.At-before)), words(span(s)), words(packetWords(s.Packet)), words(s.What))
		before = s.At
	}
	p := &picture{Title: fmt.Sprintf("Course of exchange #%d", c.ID), Drawing: drawWaterfall(640, c, t, steps), Narrow: drawWaterfall(narrow, c, t, steps), Table: g, Words: courseWords(c)}
	if n := len(steps) - maxGridRows - 10; n > 0 {
		p.Words += fmt.Sprintf(" The table leaves out %d steps.", n)
	}
	return p
}

// drawWaterfall draws the course of an exchange.
func drawWaterfall(width float64, c *analyze.Case, t *Track, steps []step) *drawing {
	d := &drawing{W: width, H: 250}
	const bottom, top, left = 190.0, 40.0, 58.0
	end := steps[len(steps)-1].At
	var first time.Duration
	for _, s := range steps {
		if s.At > 0 {
			first = s.At
			break
		}
	}
	log := first > 0 && end/first > 50
	x := newAxis(left, width-40, 0, end, false)
	scale := ""
	if log {
		x = newAxis(left, width-40, first/2, end, true)
		scale = " (logarithmic)"
	}
	bytes := int64(1)
	for _, s := range steps {
		bytes = max(bytes, s.End)
	}
	y := func(n int64) float64 { return bottom - (bottom-top)*float64(max(n, 0))/float64(bytes) }
	if a := c.Answer(); a.Stream == nil && c.Dispatched() && c.Hold.Known {
		d.rect("hold", x.at(a.At), top, x.at(end)-x.at(a.At), bottom-top, "held open for "+analyze.Dur(c.Hold.Held)+" after the answer")
	}
	d.below(x, bottom, "time since the first request byte"+scale)
	d.line("axis", left, top, left, bottom)
	d.text("tick", "end", left-6, y(bytes)+4, fmt.Sprint(bytes))
	d.text("tick", "end", left-6, bottom+4, "0")
	d.text("tick", "start", 10, top-12, "body bytes")
	d.stairs(t, x, y, end)
	d.stepMarks(steps, x, y, bottom)
	d.legend(left, 245, "◆ request, head", "○ event", "● answer", "× break", "| end", "shaded: held open")
	return d
}

// courseWords says in a sentence what the waterfall shows.
func courseWords(c *analyze.Case) string {
	s := ""
	switch {
	case c.Dispatched() && c.Answer().Stream != nil:
		s = fmt.Sprintf("The answer was dispatched on the stream of #%d after %s", c.Answer().Stream.ID, analyze.Dur(c.Answer().At))
	case c.Dispatched():
		s = fmt.Sprintf("The answer was dispatched after %s by body byte %d", analyze.Dur(c.Answer().At), c.Answer().End)
	case c.Answer().Level != capture.LevelNone:
		s = fmt.Sprintf("The answer came %s only", map[capture.Level]string{capture.LevelPartial: "in part", capture.LevelUnframed: "without what ends it"}[c.Answer().Level])
	case c.IsCall():
		s = "No answer came"
	default:
		s = "No answer was owed"
	}
	s += "; the response " + c.HowEnded()
	if c.End().Kind != capture.EndOpen {
		s += " after " + analyze.Dur(c.End().At)
	}
	return s + "."
}

// stairs draws how many body bytes could be read at each moment.
func (d *drawing) stairs(t *Track, x axis, y func(int64) float64, end time.Duration) {
	if t == nil || len(t.Chunks) == 0 {
		return
	}
	p := fmt.Sprintf("M%.1f %.1f", x.at(t.Chunks[0].At), y(0))
	for _, c := range t.Chunks {
		p += fmt.Sprintf("H%.1fV%.1f", x.at(c.At), y(c.End))
	}
	d.path("stairs", p+fmt.Sprintf("H%.1f", x.at(end)), "body bytes that could be read")
}

// stepMarks draws a mark for each step; those of one kind at one place are drawn once.
func (d *drawing) stepMarks(steps []step, x axis, y func(int64) float64, bottom float64) {
	lastX := map[stepKind]float64{}
	for _, s := range steps {
		at := x.at(s.At)
		if before, ok := lastX[s.Kind]; ok && math.Abs(before-at) < 1.5 && s.Kind != stepAnswer && s.Kind != stepBreak {
			continue
		}
		lastX[s.Kind] = at
		h := bottom
		if s.End >= 0 {
			h = y(s.End)
		}
		tip := analyze.Dur(s.At) + ": " + s.What
		switch s.Kind {
		case stepChunk:
		case stepBreak, stepEnd:
			d.line("ending", at, 40, at, bottom)
			d.mark(s.Kind, at, 32, tip)
		default:
			d.mark(s.Kind, at, h, tip)
		}
	}
}
