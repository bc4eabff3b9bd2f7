package replay

import (
	"strings"
	"time"

	"mcptrace/capture"
)

// waypoint is what a reader by the rules has once n body bytes have come: it holds from n to the next waypoint.
type waypoint struct {
	n       int64
	level   capture.Level
	isError bool
	answer  time.Duration // -1: not dispatched
	crOnly  bool
	tail    capture.Level
	eventID bool
	noColon time.Duration
	holed   bool
}

func waypointOf(n int64, v *View) waypoint {
	return waypoint{n, v.Level, v.Error, v.Answer, v.CROnly, v.Tail, v.EventID, v.NoColon, v.Holed}
}

// differs reports whether something but the place changed.
func (w waypoint) differs(o waypoint) bool {
	o.n = w.n
	return w != o
}

// put sets what the waypoint knows in v.
func (w waypoint) put(v *View) {
	v.Level, v.Error, v.Answer, v.CROnly, v.Tail = w.level, w.isError, w.answer, w.crOnly, w.tail
	v.EventID, v.NoColon, v.Holed = w.eventID, w.noColon, w.holed
}

// route is what a sweep knows of the response before it plays anybody.
type route struct {
	ex     *capture.Exchange
	rd     *capture.Reading
	how    How
	total  int64 // body bytes
	static View  // as of the head
	runs   []run // of body bytes that became readable together
	points []waypoint
}

// run is body bytes from start on that became readable at one moment.
type run struct {
	start int64
	at    time.Duration
}

// newRoute works out the waypoints. An event stream without content coding takes one pass; else they are found by halving
// the body where two ends of a stretch differ.
func newRoute(ex *capture.Exchange, rd *capture.Reading, how How) *route {
	r := &route{ex: ex, rd: rd, how: how, total: ex.Response.BodyLen()}
	r.static = *r.viewByReading(0)
	r.timeRuns()
	m := &ex.Response
	coding := strings.ToLower(strings.TrimSpace(m.Head.Get("Content-Encoding")))
	if plain := (coding == "" || coding == "identity") && len(m.Holes) == 0 && rd.Odd&capture.OddTruncated == 0; plain && rd.SSE {
		r.streamPoints()
	} else {
		r.halvedPoints(plain)
	}
	return r
}

// timeRuns notes when each body byte was readable.
func (r *route) timeRuns() {
	m := &r.ex.Response
	var off int64
	chunk := 0
	for _, s := range m.Body {
		for at := s.Start; at < s.End; {
			for chunk+1 < len(m.Chunks) && m.Chunks[chunk+1].Off <= at {
				chunk++
			}
			end := s.End
			if chunk+1 < len(m.Chunks) {
				end = min(end, m.Chunks[chunk+1].Off)
			}
			if k := len(r.runs); k == 0 || r.runs[k-1].at != m.Chunks[chunk].At {
				r.runs = append(r.runs, run{off, m.Chunks[chunk].At})
			}
			off += end - at
			at = end
		}
	}
}

// viewByReading returns the view of the cut at n by reading all of it.
func (r *route) viewByReading(n int64) *View {
	cut := Cut(r.ex, n, r.how)
	return cutView(cut, capture.Read(cut), r.how)
}

// halvedPoints finds the waypoints of a body that is not read as it comes. For JSON, plain tells where something may
// change: between the tokens of the envelope.
func (r *route) halvedPoints(plain bool) {
	at := func(n int64) waypoint { return waypointOf(n, r.viewByReading(n)) }
	marks := []int64{0}
	if body := []byte(nil); plain && r.total <= maxEvent {
		r.ex.Response.Pieces(func(p *capture.Piece) bool {
			body = append(body, p.Data...)
			return true
		})
		marks = append(marks, tokenBorders(body, 2)...)
	}
	if marks[len(marks)-1] < r.total {
		marks = append(marks, r.total)
	}
	last := at(0)
	r.points = append(r.points, last)
	for _, n := range marks[1:] {
		next := at(n)
		r.halve(last, next, at)
		last = next
	}
}

// halve adds the waypoints behind lo, up to hi.
func (r *route) halve(lo, hi waypoint, at func(int64) waypoint) {
	switch {
	case !lo.differs(hi):
		return
	case hi.n-lo.n <= 1:
		r.points = append(r.points, hi)
		return
	}
	mid := at(lo.n + (hi.n-lo.n)/2)
	r.halve(lo, mid, at)
	r.halve(mid, hi, at)
}

// maxBorders bounds the places between tokens that are looked at in one event; a message has a handful of members.
const maxBorders = 512

// tokenBorders returns the offsets in text at which what a JSON text says as a whole may change: outside of strings, at
// most depth deep.
func tokenBorders(text []byte, depth int) []int64 {
	var out []int64
	now, in := 0, false
	for i := 0; i < len(text) && len(out) < maxBorders; i++ {
		c := text[i]
		shallow := now <= depth
		switch {
		case in && c == '\\':
			i++
			continue
		case c == '"':
			in = !in
		case in:
			continue
		case c == '{' || c == '[':
			now++
		case c == '}' || c == ']':
			now--
		case c == ' ' || c == '\t':
			continue
		}
		if shallow || now <= depth {
			out = append(out, int64(i)+1)
		}
	}
	return out
}
