package replay

import (
	"bytes"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
	"mcptrace/capture/wire/sse"
)

// streamPoints walks an event stream once.
func (r *route) streamPoints() {
	w := streamWalk{r: r, kept: &capture.Reading{Kind: r.rd.Kind, Calls: r.rd.Calls, SSE: true}, noColon: -1}
	sc := sse.NewScanner(&w)
	w.mark(0)
	r.ex.Response.Pieces(func(p *capture.Piece) bool {
		w.buf = append(w.buf, p.Data...)
		sc.Write(p.Data)
		if used := w.start - w.base; used > 0 {
			w.buf = w.buf[:copy(w.buf, w.buf[used:])]
			w.base = w.start
		}
		return true
	})
	w.tails(w.buf, int64(len(w.buf)))
}

// streamWalk collects the waypoints of an event stream.
type streamWalk struct {
	r       *route
	buf     []byte // the bytes from base on
	base    int64
	start   int64 // of the block under way
	next    int   // index of the next message
	kept    *capture.Reading
	eventID bool
	noColon time.Duration
	settled bool // every call has its answer: no tail matters
}

// Event implements sse.Handler.
func (w *streamWalk) Event(e *sse.Event) {
	w.start = e.Start
	if !w.settled {
		w.tails(w.buf[e.Start-w.base:e.End-w.base], e.End-e.Start-1)
	}
	w.start = e.End
	w.eventID = w.eventID || e.HasID && e.ID != ""
	if e.NoColon && w.noColon < 0 {
		w.noColon = w.r.readableAt(e.Start + 1)
	}
	w.take(e)
}

// take adds the messages of an event, which stand in the reading already.
func (w *streamWalk) take(e *sse.Event) {
	ms := w.r.rd.Messages
	k := len(w.kept.Messages)
	for ; w.next < len(ms) && ms[w.next].End <= e.End; w.next++ {
		if ms[w.next].Level == capture.LevelDispatched && w.matters(&ms[w.next]) {
			w.kept.Messages = append(w.kept.Messages, ms[w.next])
		}
	}
	added := w.kept.Messages[k:]
	if !e.EndedByCR || len(added) == 0 {
		w.mark(e.End)
		return
	}
	final := added[0].CROnly
	for i := range added {
		added[i].CROnly = true
	}
	w.mark(e.End)
	for i := range added {
		added[i].CROnly = final
	}
	w.mark(e.End + 1)
}

// matters reports whether a message can change who is answered by what: the first that answers a call, and the first two
// messages whatever they are, because an error without an id answers only where it stands alone.
func (w *streamWalk) matters(m *capture.Inbound) bool {
	if len(w.kept.Messages) < 2 {
		return true
	}
	if !m.IsResponse() {
		return false
	}
	for i := range w.kept.Calls {
		c := &w.kept.Calls[i]
		if c.IsCall() && m.ID.Equal(c.ID) {
			k := w.kept.AnswerTo(w.r.static.Status, c)
			return k < 0 || w.kept.Messages[k].Level != capture.LevelDispatched
		}
	}
	return false
}

// Comment implements sse.Handler.
func (w *streamWalk) Comment(int64, int64) {}

// CRLF implements sse.Handler: the LF belongs to the block before.
func (w *streamWalk) CRLF(end int64) { w.start = max(w.start, end+1) }

// mark adds a waypoint at n for the messages that are kept.
func (w *streamWalk) mark(n int64) {
	if n > w.r.total {
		return
	}
	w.add(w.point(n))
	_, w.settled = w.kept.LastAnswer(w.r.static.Status)
}

// point returns the waypoint at n for the messages that are kept.
func (w *streamWalk) point(n int64) waypoint {
	v := w.r.static
	v.Level, v.Tail, v.Answer, v.Error, v.CROnly = capture.LevelNone, capture.LevelNone, -1, false, false
	v.readAnswer(w.kept)
	v.EventID, v.NoColon = w.eventID, w.noColon
	return waypointOf(n, &v)
}

func (w *streamWalk) add(p waypoint) {
	ps := w.r.points
	switch k := len(ps); {
	case k > 0 && ps[k-1].n == p.n:
		ps[k-1] = p
	case k == 0 || ps[k-1].differs(p):
		w.r.points = append(ps, p)
	}
}

// tails adds waypoints for the beginnings of an answer that the block under way, whose bytes these are, holds in its first
// end bytes or fewer, while nothing has dispatched it.
func (w *streamWalk) tails(block []byte, end int64) {
	if w.settled || !mayAnswer(block) {
		return
	}
	from := w.start
	if bom := "\uFEFF"; from == 0 && bytes.HasPrefix(block, []byte(bom)) { // it is no part of the first line
		n := int64(len(bom))
		from, block, end = n, block[n:], end-n
	}
	k := len(w.kept.Messages)
	at := func(n int64) waypoint {
		w.kept.Messages = w.kept.Messages[:k]
		if m, ok := tailMessage(block[:n-from]); ok {
			w.kept.Messages = append(w.kept.Messages, m)
		}
		return w.point(n)
	}
	last := at(from)
	for _, off := range blockBorders(block, end) {
		next := at(from + off)
		w.r.halve(last, next, at)
		last = next
	}
	w.kept.Messages = w.kept.Messages[:k]
}

// mayAnswer refuses at a glance what cannot hold a response; a key may be spelt with escapes.
func mayAnswer(block []byte) bool {
	return bytes.Contains(block, []byte("result")) || bytes.Contains(block, []byte("error")) || bytes.Contains(block, []byte(`\u`))
}

// tailMessage returns the response that stands in a block which nothing has ended, as far as it goes.
func tailMessage(block []byte) (m capture.Inbound, ok bool) {
	sc := sse.NewScanner(discard{})
	sc.Write([]byte("\n")) // the stream has begun: a byte order mark is no longer one
	sc.Write(block)
	t := sc.Tail()
	if !t.HasData {
		return m, false
	}
	msg, complete, ok := jsonrpc.Prefix(t.Data)
	if !ok || msg.Kind != jsonrpc.Result && msg.Kind != jsonrpc.Error {
		return m, false
	}
	m = capture.Inbound{Kind: msg.Kind, ID: msg.ID, Level: capture.LevelPartial}
	if complete {
		m.Level = capture.LevelUnframed
	}
	return m, true
}

// discard is an sse.Handler that wants nothing.
type discard struct{}

func (discard) Event(*sse.Event) {}

func (discard) Comment(int64, int64) {}

func (discard) CRLF(int64) {}

// blockBorders returns the offsets in a block, ascending, at which what its data says may change, and end, beyond which
// there are none.
func blockBorders(block []byte, end int64) []int64 {
	var out []int64
	for at := 0; at < len(block); {
		n := lineEnd(block[at:])
		if n < 0 {
			n = len(block) - at
		}
		line := block[at : at+n]
		if value, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(out) < maxBorders {
			out = append(out, int64(at+5))
			for _, b := range tokenBorders(value, 1) {
				out = append(out, int64(at+5)+b)
			}
		}
		for at += n; at < len(block) && (block[at] == '\r' || block[at] == '\n'); at++ {
			out = append(out, int64(at)+1)
		}
	}
	for len(out) > 0 && out[len(out)-1] >= end {
		out = out[:len(out)-1]
	}
	return append(out, max(0, end))
}
