package replay

import (
	"math"
	"slices"
	"sort"
	"time"

	"mcptrace/capture"
)

// Range is a run of cuts with one outcome: behind body byte From, From+1, … To.
type Range struct {
	From, To int64
	Outcome  Outcome
}

// Swept is what a sweep found for one policy and one ending.
type Swept struct {
	Policy Policy
	How    How
	Total  int64   // body bytes
	Ranges []Range // ascending; without gaps from 0 to Total, unless Sampled
	// Sampled tells that not every byte was tried, but the landmarks and one byte to either side of each.
	Sampled bool
}

// exhaustive is the body size up to which a product is asked after every byte.
const exhaustive = 64 << 10

// maxLandmarks bounds the places at which a product is asked in a longer body.
const maxLandmarks = 4096

// Sweep breaks the response of ex behind every byte of its body, from none to all of them, and plays each through p.
//
// It takes one pass over the body. The outcome at n is that of RunCut at n. Generic policies are asked at every byte, however
// long the body; a product up to 64 KiB, and beyond that at the landmarks. A response without a head gives no ranges.
func Sweep(ex *capture.Exchange, rd *capture.Reading, how How, p Policy, o Options) Swept {
	if ex.Response.Head == nil {
		return Swept{Policy: p, How: how}
	}
	return newRoute(ex, rd, how).sweep(p, o)
}

// SweepAll is Sweep for several policies, which share the work.
func SweepAll(ex *capture.Exchange, rd *capture.Reading, how How, ps []Policy, o Options) []Swept {
	if ex.Response.Head == nil {
		return nil
	}
	r := newRoute(ex, rd, how)
	out := make([]Swept, 0, len(ps))
	for _, p := range ps {
		out = append(out, r.sweep(p, o))
	}
	return out
}

func (r *route) sweep(p Policy, o Options) Swept {
	s := Swept{Policy: p, How: r.how, Total: r.total}
	if p.NeedsBytes() {
		s.Sampled = r.total > exhaustive
		r.sweepProduct(&s, p, o)
	} else {
		r.sweepGeneric(&s, p, o)
	}
	return s
}

// add adds the outcome of the cuts from..to.
func (s *Swept) add(from, to int64, o Outcome) {
	if k := len(s.Ranges); k > 0 && s.Ranges[k-1].Outcome == o && s.Ranges[k-1].To == from-1 {
		s.Ranges[k-1].To = to
		return
	}
	s.Ranges = append(s.Ranges, Range{from, to, o})
}

// sweepGeneric judges once for every stretch in which neither what is there nor its time changes.
func (r *route) sweepGeneric(s *Swept, p Policy, o Options) {
	c := r.cursor()
	for n := int64(0); n <= r.total; {
		v := c.view(n)
		next := min(c.until(n), r.total)
		s.add(n, next, p.Judge(v, o))
		n = next + 1
	}
}

// sweepProduct feeds the product byte by byte and asks it what it would do.
func (r *route) sweepProduct(s *Swept, p Policy, o Options) {
	client := p.open(askedOf(r.ex, r.rd))
	defer client.close()
	y := newPlayer(r.ex, client, p.patience(p.timeout(o)))
	c := r.cursor()
	ends := wireEnds{m: &r.ex.Response}
	ask := func(n int64) {
		y.feed(ends.at(n))
		v := c.view(n)
		s.add(n, n, p.outcome(y.play(v.End), v))
	}
	if !s.Sampled {
		for n := int64(0); n <= r.total; n++ {
			ask(n)
		}
		return
	}
	for _, n := range r.around() {
		ask(n)
	}
}

// around returns the landmarks and one byte to either side of each, ascending.
func (r *route) around() []int64 {
	var out []int64
	for i, l := range Landmarks(r.ex, r.rd) {
		if i >= maxLandmarks && !l.Answer {
			continue
		}
		for n := max(0, l.At-1); n <= min(l.At+1, r.total); n++ {
			out = append(out, n)
		}
	}
	out = append(out, max(0, r.total-1), r.total)
	slices.Sort(out)
	return slices.Compact(out)
}

// readableAt returns when the first n body bytes had come; of none, when the head had.
func (r *route) readableAt(n int64) time.Duration {
	k := sort.Search(len(r.runs), func(i int) bool { return r.runs[i].start >= n }) - 1
	if k < 0 {
		return r.static.End.At
	}
	return r.runs[k].at
}

// cursor steps through a route.
type cursor struct {
	r           *route
	point, time int
	v           View
}

func (r *route) cursor() *cursor { return &cursor{r: r} }

// view returns the view of the cut at n, lent until the next call. n must not decrease.
func (c *cursor) view(n int64) *View {
	r := c.r
	for c.point+1 < len(r.points) && r.points[c.point+1].n <= n {
		c.point++
	}
	for c.time+1 < len(r.runs) && r.runs[c.time+1].start < n {
		c.time++
	}
	c.v = r.static
	r.points[c.point].put(&c.v)
	e, _ := cutEnding(r.ex, n, r.how)
	c.v.End = End{Kind: e.Kind, By: e.By, How: e.How, At: c.lastByte(n), Stall: r.how == Stall && e.Kind == capture.EndOpen}
	c.v.End.Clean = e.Kind == capture.EndClean || e.Kind == capture.EndCloseDelimited && e.How == capture.FIN
	if c.v.Delivered() && !r.rd.SSE && e.Kind == capture.EndCloseDelimited {
		c.v.Answer = c.v.End.At // a body without framing is complete when the connection closes
	}
	return &c.v
}

func (c *cursor) lastByte(n int64) time.Duration {
	if n == 0 || len(c.r.runs) == 0 {
		return c.r.static.End.At
	}
	return c.r.runs[c.time].at
}

// until returns the last cut to which the view at n, just asked for, holds.
func (c *cursor) until(n int64) int64 {
	r, end := c.r, int64(math.MaxInt64)
	if c.point+1 < len(r.points) {
		end = r.points[c.point+1].n - 1
	}
	switch {
	case n == 0:
		end = min(end, 0)
	case c.time+1 < len(r.runs):
		end = min(end, r.runs[c.time+1].start)
	}
	if n < r.total {
		end = min(end, r.total-1) // all of the body may be a clean end
	}
	return end
}

// wireEnds finds the place in Wire of ascending body offsets.
type wireEnds struct {
	m    *capture.Message
	span int
	base int64 // body offset of the span
}

func (w *wireEnds) at(n int64) int64 {
	if n <= 0 || len(w.m.Body) == 0 {
		return w.m.HeadEnd
	}
	for n-w.base > w.m.Body[w.span].Len() && w.span+1 < len(w.m.Body) {
		w.base += w.m.Body[w.span].Len()
		w.span++
	}
	s := w.m.Body[w.span]
	return min(s.Start+min(n-w.base, s.Len()), w.m.Wire.Len())
}

// Merged returns the ranges with those put together that differ in their times only. The times are those at From.
func (s *Swept) Merged() []Range {
	var out []Range
	for _, r := range s.Ranges {
		if k := len(out); k > 0 && out[k-1].To == r.From-1 {
			a, b := out[k-1].Outcome, r.Outcome
			if a.Verdict == b.Verdict && a.Ran == b.Ran && a.Next == b.Next && a.Why == b.Why {
				out[k-1].To = r.To
				continue
			}
		}
		out = append(out, r)
	}
	return out
}
