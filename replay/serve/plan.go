package serve

import (
	"bytes"
	"cmp"
	"slices"
	"sort"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
)

// plan is how one recorded response is played: worked out once, shared by all who play it. Times count from the end of
// the request; offsets are bytes of the response's Wire unless they say otherwise.
type plan struct {
	m      *capture.Message
	body   []span // of Wire; a coded body is split where it came in pieces
	stop   int64  // what comes after is not played: it was not captured
	coding string
	known  bool // the coding can be undone
	sites  []site
	marks  []mark
	gates  []gate
	base   time.Duration // of the request's end, since the exchange's start

	session span // of the session id in the head
	length  span // of the Content-Length value

	answer  int64 // what must have been sent for the last answer to be there in full; -1: there is none
	answers int64 // where that answer begins
	end     ending
}

type span = capture.Span

// gate holds the stream back before off until the client has sent what the bytes from there on refer to.
type gate struct {
	off   int64
	after *entry
	delay time.Duration // from the end of that request to the bytes
	mark  mark          // the event that waits
	over  int64         // where the event is over, if nothing else stands before that place; 0: something does
}

// ending is how a response ends.
type ending struct {
	kind  endKind
	at    time.Duration // since the request's end
	hold  time.Duration // endHold: close after this long, whatever the speed; 0: never
	code  uint32        // HTTP/2 error code
	close bool          // endClean: the server closes the connection, or the client must
}

type endKind uint8

const (
	endClean  endKind = iota // the framing is complete
	endFIN                   // close the connection in order
	endRST                   // reset it
	endHold                  // nothing more comes
	endStream                // HTTP/2: reset the stream
	endGoAway                // HTTP/2: the stream was not worked on
)

// String returns the word for it that --end takes.
func (k endKind) String() string {
	return [...]string{"clean", "fin", "rst", "hold", "h2-rst", "goaway"}[k]
}

// planOf returns the plan of e.
func (r *Recording) planOf(e *entry) *plan {
	e.once.Do(func() { e.plan = newPlan(r, e) })
	return e.plan
}

func newPlan(r *Recording, e *entry) *plan {
	m := &e.ex.Response
	p := &plan{m: m, stop: m.Wire.Len(), base: e.ex.RequestEnd(), answer: -1, answers: -1}
	for _, h := range m.Holes {
		p.stop = min(p.stop, h.Start)
	}
	p.end = endingOf(e.ex, p.base)
	if m.Head == nil {
		return p
	}
	p.coding = m.Head.Get("Content-Encoding")
	if p.coding == "identity" {
		p.coding = ""
	}
	p.known = coding.Supported(p.coding)
	p.body = m.Body
	if p.coding != "" && m.Head.Framing != http1.Chunked {
		p.body = byMoment(m)
	}
	if m.HeadEnd > 0 {
		head := m.Wire.Bytes(m.HeadStart, m.HeadEnd)
		p.session, p.length = valueOf(head, sessionHeader, m.HeadStart), valueOf(head, "Content-Length", m.HeadStart)
	}
	if p.known {
		s := surveyOf(e.ex)
		p.sites, p.marks = s.sites, s.marks
		slices.SortFunc(p.sites, func(a, b site) int { return cmp.Compare(a.from, b.from) })
	}
	p.findAnswer(e)
	p.findGates(r, e)
	return p
}

// findAnswer notes where the exchange's last answer stands.
func (p *plan) findAnswer(e *entry) {
	k := -1
	if e.owesAnswer() {
		k, _ = e.rd.LastAnswer(p.m.Head.Status)
	} else {
		for i := range e.rd.Messages {
			if e.rd.Messages[i].IsResponse() {
				k = i
			}
		}
	}
	if k < 0 {
		return
	}
	in := &e.rd.Messages[k]
	if p.answers = p.m.HeadEnd; e.rd.SSE {
		p.answers = p.wireOf(in.Start)
	}
	if in.Level == capture.LevelDispatched && in.WireEnd <= p.stop {
		p.answer = in.WireEnd
	}
}

// findGates finds the answers that must wait for a call which came with another request, and those that in the
// recording came after the client had answered a question of the server.
func (p *plan) findGates(r *Recording, e *entry) {
	own := map[string]bool{}
	for i := range e.rd.Calls {
		own[canonicalID(string(e.rd.Calls[i].ID))] = true
	}
	asked := ""
	for i := range e.rd.Messages {
		in := &e.rd.Messages[i]
		var f *entry
		at := e.ex.Start + capture.Instant(in.At)
		switch {
		case in.Kind == jsonrpc.Request:
			asked = canonicalID(string(in.ID))
		case in.IsResponse() && !own[canonicalID(string(in.ID))]:
			f = r.before(e, capture.KindRequest, canonicalID(string(in.ID)), at)
		case in.IsResponse() && asked != "":
			f = r.before(e, capture.KindResponse, asked, at)
			asked = ""
		}
		if f == nil {
			continue
		}
		end := f.ex.Start + capture.Instant(f.ex.RequestEnd())
		g := gate{off: p.cleave(p.wireOf(in.Start)), after: f, delay: max(0, at.Sub(end)), mark: mark{start: in.Start, end: in.End, wireEnd: in.WireEnd}}
		g.over = p.alone(g.off, in)
		p.gates = append(p.gates, g)
	}
}

// wireOf returns where byte off of the decoded body stands in Wire. In a coded body it is the end of what comes before
// the event there.
func (p *plan) wireOf(off int64) int64 {
	if p.coding != "" {
		w := p.m.HeadEnd
		for _, k := range p.marks {
			if k.end <= off {
				w = k.wireEnd
			}
		}
		return w
	}
	for _, s := range p.body {
		if off < s.Len() {
			return s.Start + off
		}
		off -= s.Len()
	}
	return p.m.Wire.Len()
}

// cleave returns the last place at or before off where something else may be put between: before the transfer chunk
// that holds it.
func (p *plan) cleave(off int64) int64 {
	if p.m.Head.Framing != http1.Chunked {
		return off
	}
	for i, s := range p.body {
		if off >= s.Start && off < s.End {
			return p.gap(i) + p.lead(i)
		}
	}
	return off
}

// alone returns where the event that begins at off is over, if it can be left out; else 0.
func (p *plan) alone(off int64, in *capture.Inbound) int64 {
	switch {
	case p.coding != "" || in.Level != capture.LevelDispatched:
		return 0
	case p.m.Head.Framing != http1.Chunked:
		return in.WireEnd
	}
	for i, s := range p.body {
		if s.End != in.WireEnd || off != p.gap(i)+p.lead(i) || s.Start != p.wireOf(in.Start) {
			continue
		}
		if i+1 < len(p.body) {
			return p.gap(i+1) + p.lead(i+1)
		}
		if p.m.Wire.At(s.End) == '\r' && p.m.Wire.At(s.End+1) == '\n' {
			return s.End + 2
		}
	}
	return 0
}

// border reports whether something else may be sent between the bytes before off and those from it on.
func (p *plan) border(off int64) bool {
	if p.m.Head == nil || p.coding != "" || off < p.m.HeadEnd || p.m.Head.Framing == http1.Length {
		return false
	}
	body := p.bodyBefore(off)
	i := sort.Search(len(p.marks), func(i int) bool { return p.marks[i].end >= body })
	if body > 0 && (i == len(p.marks) || p.marks[i].end != body) {
		return false
	}
	return off == p.m.Wire.Len() && !p.m.Complete || p.cleave(off) == off && !p.inFraming(off)
}

// inFraming reports whether off lies within the framing between two transfer chunks.
func (p *plan) inFraming(off int64) bool {
	if p.m.Head.Framing != http1.Chunked {
		return false
	}
	for i, s := range p.body {
		if g := p.gap(i); off >= g && off < s.Start {
			return off != g+p.lead(i)
		}
	}
	return false
}

// gap returns where the framing in front of body span i begins.
func (p *plan) gap(i int) int64 {
	if i == 0 {
		return p.m.HeadEnd
	}
	return p.body[i-1].End
}

// lead returns how many bytes of the framing in front of body span i belong to the span before it.
func (p *plan) lead(i int) int64 {
	if i == 0 {
		return 0
	}
	if p.m.Wire.At(p.gap(i)) == '\r' {
		return 2
	}
	return 1
}

// cutAt returns where to stop so that the client gets n body bytes.
func (p *plan) cutAt(n int64) int64 {
	if n <= 0 {
		return p.m.HeadEnd
	}
	for _, s := range p.body {
		if n <= s.Len() {
			return s.Start + n
		}
		n -= s.Len()
	}
	if k := len(p.body); k > 0 {
		return p.body[k-1].End
	}
	return p.m.HeadEnd
}

// bodyBefore returns how many body bytes stand before off of Wire.
func (p *plan) bodyBefore(off int64) int64 {
	var n int64
	for _, s := range p.body {
		if s.Start >= off {
			break
		}
		n += min(off, s.End) - s.Start
	}
	return n
}

// byMoment splits the body where a new moment begins.
func byMoment(m *capture.Message) []span {
	var out []span
	for _, s := range m.Body {
		for _, c := range m.Chunks {
			if c.Off > s.Start && c.Off < s.End {
				out = append(out, span{Start: s.Start, End: c.Off})
				s.Start = c.Off
			}
		}
		out = append(out, s)
	}
	return out
}

// at returns when byte off came, since the request's end.
func (p *plan) at(off int64) time.Duration {
	at, _ := p.m.TimeAt(off)
	return max(0, at-p.base)
}

// next returns the first place behind off, and not behind stop, at which a new moment begins or the stream may wait.
func (p *plan) next(off, stop int64) int64 {
	cs := p.m.Chunks
	if i := sort.Search(len(cs), func(i int) bool { return cs[i].Off > off }); i < len(cs) {
		stop = min(stop, cs[i].Off)
	}
	for _, g := range p.gates {
		if g.off > off {
			stop = min(stop, g.off)
		}
	}
	return stop
}

// endingOf returns how the recorded response ended. What the client ended, or the capture, stays open.
func endingOf(ex *capture.Exchange, base time.Duration) ending {
	n := &ex.Ending
	e := ending{at: max(0, n.At-base), code: n.Code}
	switch {
	case n.Kind == capture.EndClean:
		e.close = ex.Response.Head != nil && mustClose(ex.Response.Head)
	case n.By != "server":
		e.kind = endHold
	case n.Kind == capture.EndH2RST, n.Kind == capture.EndNone && ex.Proto == "2" && ex.Conn.FirstClosing(capture.Server) == nil:
		e.kind = endStream
	case n.Kind == capture.EndGoAway:
		e.kind = endGoAway
	case n.How == capture.RST:
		e.kind = endRST
	case n.Kind == capture.EndRST:
		e.kind = endRST
	default:
		e.kind = endFIN
	}
	return e
}

// mustClose reports whether a connection ends with the response.
func mustClose(h *http1.Head) bool {
	c := bytes.ToLower([]byte(h.Get("Connection")))
	if h.Proto == "HTTP/1.0" {
		return !bytes.Contains(c, []byte("keep-alive"))
	}
	return bytes.Contains(c, []byte("close"))
}

// valueOf finds the value of a field in the text of a head that stands at base.
func valueOf(head []byte, name string, base int64) span {
	for i := 0; i < len(head); {
		j := bytes.IndexByte(head[i:], '\n')
		if j < 0 {
			break
		}
		l := head[i : i+j]
		if n, v, ok := bytes.Cut(l, []byte(":")); ok && bytes.EqualFold(bytes.TrimSpace(n), []byte(name)) {
			t := bytes.TrimLeft(v, " \t")
			from := base + int64(i+len(l)-len(t))
			return span{Start: from, End: from + int64(len(bytes.TrimRight(t, " \t\r")))}
		}
		i += j + 1
	}
	return span{}
}
