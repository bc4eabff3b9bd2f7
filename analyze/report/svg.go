package report

import (
	"fmt"
	"math"
	"time"

	"mcptrace/analyze"
)

// drawing is a picture made of simple shapes. Its class names are those of the style sheet: what they mean shows in form
// as well as in colour, so that it can be read in black and white.
type drawing struct {
	W, H   float64
	Shapes []shape
}

// shape is a rectangle, a line, a path or a text.
type shape struct {
	Kind         string // rect, line, path, text
	Class        string
	X, Y, X2, Y2 float64 // line: both ends; rect: corner, width and height
	D            string  // path
	Anchor       string  // text: start, middle, end
	Text         string  // text, and the tooltip of others
	Ref          int
}

func (d *drawing) rect(class string, x, y, w, h float64, tip string) {
	d.Shapes = append(d.Shapes, shape{Kind: "rect", Class: class, X: round(x), Y: round(y), X2: round(max(w, 0)), Y2: round(max(h, 0)), Text: tip})
}

func (d *drawing) line(class string, x, y, x2, y2 float64) {
	d.Shapes = append(d.Shapes, shape{Kind: "line", Class: class, X: round(x), Y: round(y), X2: round(x2), Y2: round(y2)})
}

func (d *drawing) path(class, data, tip string) {
	d.Shapes = append(d.Shapes, shape{Kind: "path", Class: class, D: data, Text: tip})
}

func (d *drawing) text(class, anchor string, x, y float64, s string) {
	d.Shapes = append(d.Shapes, shape{Kind: "text", Class: class, Anchor: anchor, X: round(x), Y: round(y), Text: s})
}

// mark draws a mark whose form says what it is: a disc for an answer, a cross for a break, a bar for an end, a ring for an
// event, a dot for a comment.
func (d *drawing) mark(kind stepKind, x, y float64, tip string) {
	const r = 4
	var p string
	switch kind {
	case stepAnswer:
		p = fmt.Sprintf("M%.1f %.1fa%d %d 0 1 0 %d 0a%d %d 0 1 0 -%d 0z", x-r, y, r, r, 2*r, r, r, 2*r)
	case stepBreak:
		p = fmt.Sprintf("M%.1f %.1fl%d %dm0 -%dl-%d %d", x-r, y-r, 2*r, 2*r, 2*r, 2*r, 2*r)
	case stepEnd:
		p = fmt.Sprintf("M%.1f %.1fv%d", x, y-r, 2*r)
	case stepEvent:
		p = fmt.Sprintf("M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0z", x-3, y)
	case stepComment:
		p = fmt.Sprintf("M%.1f %.1fh2", x-1, y)
	default:
		p = fmt.Sprintf("M%.1f %.1fl4 4l-4 4l-4 -4z", x, y-r)
	}
	d.path("mark "+string(kind), p, tip)
}

// narrow is the width of drawings for a telephone: texts keep their size there.
const narrow = 376

// Narrow reports whether the drawing is for a narrow screen.
func (d *drawing) Narrow() bool { return d.W <= narrow }

// legend writes what the marks mean, in as many lines as the drawing is narrow, from y down.
func (d *drawing) legend(x, y float64, parts ...string) {
	line := ""
	for _, p := range parts {
		if line != "" && x+6*float64(len([]rune(line+p))+3) > d.W {
			d.text("tick", "start", x, y, line)
			line, y = "", y+14
		}
		if line != "" {
			line += " · "
		}
		line += p
	}
	d.text("tick", "start", x, y, line)
	d.H = max(d.H, y+8)
}

func round(v float64) float64 { return math.Round(v*10) / 10 }

// axis maps times to places.
type axis struct {
	from, to float64 // places
	min, max time.Duration
	log      bool
}

// newAxis covers min to max; where most of it would be empty, it is logarithmic.
func newAxis(from, to float64, low, high time.Duration, log bool) axis {
	if log {
		low = max(low, time.Microsecond)
	}
	return axis{from, to, low, max(high, low+time.Microsecond), log}
}

func (a axis) at(d time.Duration) float64 {
	d = min(max(d, a.min), a.max)
	if a.log {
		return a.from + (a.to-a.from)*math.Log(float64(d)/float64(a.min))/math.Log(float64(a.max)/float64(a.min))
	}
	return a.from + (a.to-a.from)*float64(d-a.min)/float64(a.max-a.min)
}

// ticks returns round values on the axis.
func (a axis) ticks() []time.Duration {
	var out []time.Duration
	if a.log {
		for d := time.Microsecond; d <= a.max; d *= 10 {
			if d >= a.min {
				out = append(out, d)
			}
		}
		if len(out) >= 2 {
			return out
		}
		return []time.Duration{a.min, a.max}
	}
	step := niceStep(a.max - a.min)
	for d := (a.min + step - 1) / step * step; d <= a.max; d += step {
		out = append(out, d)
	}
	return out
}

// niceStep divides a span into at most seven parts of 1, 2 or 5 times a power of ten.
func niceStep(span time.Duration) time.Duration {
	for unit := time.Duration(1); ; unit *= 10 {
		for _, k := range []time.Duration{1, 2, 5} {
			if span/(unit*k) <= 6 || unit > math.MaxInt64/10 {
				return unit * k
			}
		}
	}
}

// below draws the axis under the picture.
func (d *drawing) below(a axis, y float64, label string) {
	d.line("axis", a.from, y, a.to, y)
	last := math.Inf(-1)
	for _, t := range a.ticks() {
		x := a.at(t)
		d.line("axis", x, y, x, y+4)
		if x-last >= 52 {
			d.text("tick", "middle", x, y+16, analyze.Dur(t))
			last = x
		}
	}
	d.text("tick", "end", a.to, y+32, label)
}
