package capture

import (
	"fmt"
	"strconv"
	"strings"

	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/http2"
)

// h2Pair makes the streams of an HTTP/2 connection into exchanges.
type h2Pair struct {
	a       *Assembly
	c       *Conn
	side    [2]h2Side
	streams map[uint32]*h2Stream
	order   []uint32 // open streams, oldest first
	reset   []uint32 // of these, reset by the client, oldest first
	done    settling
	over    bool
	ends    [2]How
	endAt   [2]Stamp
}

// h2Side is one direction of the connection.
type h2Side struct {
	pair   *h2Pair
	from   Side
	reader *http2.Reader
	stamp  Stamp
}

// h2Stream is a stream whose exchange has not ended.
type h2Stream struct {
	ex      *Exchange
	gone    bool // the client reset it: acknowledgements of the connection prove nothing for it
	reqDone bool
	full    [2]bool // MaxMessage was reached: nothing more of that side's body is kept
}

// maxStreams bounds the open streams of one connection.
const maxStreams = 1024

func newH2Pair(a *Assembly, c *Conn, resync bool) *h2Pair {
	p := &h2Pair{a: a, c: c, streams: map[uint32]*h2Stream{}, done: settling{a: a}}
	for i := range p.side {
		p.side[i].pair, p.side[i].from = p, Side(i)
		p.side[i].reader = http2.NewReader(&p.side[i], Side(i) == Client)
		if resync {
			p.side[i].reader.Resync()
		}
	}
	return p
}

// upgrade hands the connection over to HTTP/2 after a 101 response (RFC 7540 section 3.2): the upgraded request is
// stream 1. What comes through a tunnel is looked at like a connection of its own.
func (p *h1Pair) upgrade(from Side, rest []byte, s Stamp) {
	d := &p.side[Server]
	ex := d.ex
	if ex == nil && len(p.queue) > 0 {
		ex = p.queue[0]
	}
	after := &shifted{base: [2]int64{p.side[Client].base, p.side[Server].base}}
	p.next = after
	if from != Server || ex == nil || ex.Response.Head == nil || !strings.EqualFold(ex.Response.Head.Get("Upgrade"), "h2c") {
		after.Duplex = newDetector(p.a, p.c) // a tunnel, or a protocol that is not followed
		after.Data(from, rest, s)
		return
	}
	h2 := newH2Pair(p.a, p.c, false)
	after.Duplex = h2
	ex.Proto = "2"
	ex.Response.reset()
	ex.Request.Complete = true
	ex.Stream = 1
	h2.streams[1] = &h2Stream{ex: ex, reqDone: true}
	h2.order = append(h2.order, 1)
	p.queue = nil
	after.Data(from, rest, s)
}

// shifted is a reader of what comes after an upgrade: its offsets count from there.
type shifted struct {
	Duplex
	base [2]int64
}

// Ack implements Duplex.
func (s *shifted) Ack(of Side, off int64, gone bool, at Stamp) {
	if off > s.base[of] {
		s.Duplex.Ack(of, off-s.base[of], gone, at)
	}
}

// Data implements Duplex.
func (p *h2Pair) Data(from Side, b []byte, s Stamp) {
	p.side[from].stamp = s
	p.side[from].reader.Write(b)
}

// Missing implements Duplex.
func (p *h2Pair) Missing(from Side, n int64, s Stamp) {
	p.side[from].stamp = s
	p.side[from].reader.Missing(n)
}

// Ack implements Duplex.
func (p *h2Pair) Ack(of Side, off int64, gone bool, s Stamp) {
	if gone {
		return
	}
	for _, id := range p.order {
		if st := p.streams[id]; !st.gone {
			st.ex.message(of).ack(off, s.Seen, st.ex.Start)
		}
	}
	for _, ex := range p.done.wait {
		if ex.ClientReset == 0 {
			ex.message(of).ack(off, s.Seen, ex.Start)
		}
	}
	p.done.flush(false)
}

// End implements Duplex.
func (p *h2Pair) End(by Side, how How, s Stamp) {
	if p.over {
		return
	}
	if p.ends[by] == NoEnd {
		p.ends[by], p.endAt[by] = how, s
	}
	for _, id := range p.order {
		finishH2(p.streams[id].ex, by, how, s)
	}
	if p.over = how == RST || how == FatalAlert; p.over || by == Server {
		p.settleAll()
	}
}

func finishH2(ex *Exchange, by Side, how How, s Stamp) {
	if ex.Ending.Kind != "" {
		return
	}
	ex.Ending = Ending{Kind: endKinds[how], By: by.String(), How: how, At: ex.SinceStart(s.Seen), Packet: s.Packet}
	if ex.Response.Head == nil && ex.Interim == 0 && ex.Response.Wire.Len() == 0 {
		ex.Ending.Kind = EndNone
	}
}

// Close implements Duplex.
func (p *h2Pair) Close(s Stamp) {
	for i := range p.side {
		p.side[i].stamp = s
		p.side[i].reader.Close()
	}
	for _, id := range p.order {
		ex := p.streams[id].ex
		if p.ends[Server] != NoEnd {
			finishH2(ex, Server, p.ends[Server], p.endAt[Server])
		}
		if ex.Ending.Kind == "" {
			ex.Ending = Ending{Kind: EndOpen, At: -1}
		}
	}
	p.settleAll()
	p.done.flush(true)
}

func (p *h2Pair) settleAll() {
	for _, id := range p.order {
		p.done.add(p.streams[id].ex)
	}
	clear(p.streams)
	p.order = nil
}

// settle hands one ended stream on.
func (p *h2Pair) settle(id uint32) {
	st := p.streams[id]
	delete(p.streams, id)
	for i, o := range p.order {
		if o == id {
			p.order = append(p.order[:i], p.order[i+1:]...)
			break
		}
	}
	p.done.add(st.ex)
}

// stream returns the open stream id; a new one begins an exchange. Where too many are open the oldest is let go.
func (d *h2Side) stream(id uint32) *h2Stream {
	p := d.pair
	st := p.streams[id]
	if st == nil {
		if len(p.streams) >= maxStreams {
			oldest := p.order[0]
			p.streams[oldest].ex.Ending = Ending{Kind: EndOpen, At: -1}
			p.a.cuts++
			p.settle(oldest)
		}
		st = &h2Stream{ex: p.a.newExchange(p.c, "2", d.stamp.Seen)}
		st.ex.Stream = id
		p.streams[id] = st
		p.order = append(p.order, id)
	}
	return st
}

// Headers implements http2.Handler.
func (d *h2Side) Headers(id uint32, fields []http2.Field, endStream bool, start, end int64, complete bool) {
	if d.pair.streams[id] == nil && d.late(id) {
		return
	}
	st := d.stream(id)
	if st == nil {
		return
	}
	m := st.ex.message(d.from)
	h, text := headOf(fields, d.from == Client)
	switch {
	case m.Head != nil && len(m.Head.Trailers)+len(h.Fields) > http1.MaxFields:
		m.cut()
	case m.Head != nil: // trailers
		m.Head.Trailers = append(m.Head.Trailers, h.Fields...)
	case d.from == Server && h.Status >= 100 && h.Status < 200:
		st.ex.Interim++
		m.add(text, d.stamp, st.ex.Start, start)
		m.HeadStart = m.Wire.Len()
	default:
		m.add(text, d.stamp, st.ex.Start, start)
		m.Head, m.HeadEnd = h, m.Wire.Len()
	}
	if d.reader.Limited() {
		m.cut()
	}
	m.stretch(end)
	if endStream {
		d.endStream(id, st)
	}
}

// late reports whether frames of this stream come after its exchange was settled: trailers after a reset, or a
// response to a request from before the capture, which is an exchange of its own.
func (d *h2Side) late(id uint32) bool {
	for _, ex := range d.pair.done.wait {
		if ex.Stream == id {
			return true
		}
	}
	return false
}

// stretch makes the last chunk reach to offset conn of the direction, so that frame headers and header blocks count
// when it is asked what was acknowledged.
func (m *Message) stretch(conn int64) {
	if n := len(m.Chunks); n > 0 {
		c := &m.Chunks[n-1]
		c.conn = max(c.conn, conn-(m.Wire.Len()-c.Off))
	}
}

// headOf makes an HTTP/1 head of an HTTP/2 header list, and its text: the form in which it is kept.
func headOf(fields []http2.Field, request bool) (*http1.Head, []byte) {
	h := &http1.Head{Proto: "HTTP/2"}
	var rest []http1.Field
	for _, f := range fields {
		switch f.Name {
		case ":method":
			h.Method = f.Value
		case ":path":
			h.Target = f.Value
		case ":status":
			h.Status, _ = strconv.Atoi(f.Value)
		case ":authority":
			rest = append(rest, http1.Field{Name: "host", Value: f.Value})
		case ":scheme":
		default:
			rest = append(rest, http1.Field(f))
		}
	}
	h.Fields = rest
	var b strings.Builder
	if request {
		fmt.Fprintf(&b, "%s %s HTTP/2\r\n", orUnknown(h.Method), orUnknown(h.Target))
	} else {
		fmt.Fprintf(&b, "HTTP/2 %03d\r\n", h.Status)
	}
	for _, f := range rest {
		b.WriteString(f.Name)
		b.WriteString(": ")
		b.WriteString(f.Value)
		b.WriteString("\r\n")
	}
	b.WriteString("\r\n")
	return h, []byte(b.String())
}

// orUnknown stands in for a pseudo header that could not be decoded.
func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

// PushPromise implements http2.Handler. Pushed responses carry no MCP.
func (d *h2Side) PushPromise(uint32, uint32, []http2.Field, int64) {}

// Data implements http2.Handler.
func (d *h2Side) Data(id uint32, p []byte, start, end, off int64) {
	if d.pair.streams[id] == nil && d.late(id) {
		return
	}
	if st := d.stream(id); st != nil {
		d.body(st, int64(len(p)), func(m *Message) { m.add(p, d.stamp, st.ex.Start, off) })
	}
}

// LostData implements http2.Handler.
func (d *h2Side) LostData(id uint32, n, off int64) {
	if st := d.pair.streams[id]; st != nil {
		d.body(st, n, func(m *Message) { m.addHole(n, d.stamp, st.ex.Start, off) })
	}
}

func (d *h2Side) body(st *h2Stream, n int64, add func(*Message)) {
	m := st.ex.message(d.from)
	if most := d.pair.a.MaxMessage; st.full[d.from] || most > 0 && m.Wire.Len()+n > most {
		st.full[d.from] = true
		m.cut()
		return
	}
	from := m.Wire.Len()
	add(m)
	if m.Wire.Len() > from {
		m.addBody(from, m.Wire.Len())
	}
}

// DataEnd implements http2.Handler.
func (d *h2Side) DataEnd(id uint32, endStream bool, end int64) {
	if st := d.pair.streams[id]; st != nil && endStream {
		d.endStream(id, st)
	}
}

func (d *h2Side) endStream(id uint32, st *h2Stream) {
	st.ex.message(d.from).Complete = true
	if d.from == Client {
		st.reqDone = true
		return
	}
	if st.ex.ClientReset == 0 {
		st.ex.Ending = Ending{Kind: EndClean, At: st.ex.SinceStart(d.stamp.At), Packet: d.stamp.Packet}
	}
	d.pair.settle(id)
}

// Reset implements http2.Handler.
func (d *h2Side) Reset(id uint32, code uint32, end int64) {
	st := d.pair.streams[id]
	if st == nil {
		d.resetSettled(id)
		return
	}
	ex := st.ex
	if ex.Ending.Kind == "" {
		ex.Ending = Ending{Kind: EndH2RST, By: d.from.String(), How: RST, At: ex.SinceStart(d.stamp.At), Packet: d.stamp.Packet, Code: code,
			Unprocessed: d.from == Server && code == refusedStream}
		if ex.Response.Head == nil && ex.Interim == 0 {
			ex.Ending.Kind = EndNone
		}
	}
	if d.from == Server {
		d.pair.settle(id)
		return
	}
	// What the server had under way still passes; it is kept to say what was on the wire.
	st.gone = true
	ex.ClientReset = d.stamp.Seen
	if d.pair.reset = append(d.pair.reset, id); len(d.pair.reset) > maxReset {
		id, d.pair.reset = d.pair.reset[0], d.pair.reset[1:]
		if d.pair.streams[id] != nil {
			d.pair.a.cuts++
			d.pair.settle(id)
		}
	}
}

// maxReset bounds the streams of one connection that the client reset and the server has not ended.
const maxReset = 64

// resetSettled notes a client's reset of a stream whose response had ended: acknowledgements that come later are void.
func (d *h2Side) resetSettled(id uint32) {
	for _, ex := range d.pair.done.wait {
		if ex.Stream == id && d.from == Client && ex.ClientReset == 0 {
			ex.ClientReset = d.stamp.Seen
		}
	}
}

const refusedStream = 7 // RFC 9113 section 7

// GoAway implements http2.Handler.
func (d *h2Side) GoAway(last uint32, code uint32, end int64) {
	if d.from != Server {
		return
	}
	for _, id := range append([]uint32(nil), d.pair.order...) {
		ex := d.pair.streams[id].ex
		if id <= last || id%2 == 0 || ex.Response.Head != nil {
			continue
		}
		ex.Ending = Ending{Kind: EndGoAway, By: "server", How: FIN, At: ex.SinceStart(d.stamp.At), Packet: d.stamp.Packet, Code: code, Unprocessed: true}
		d.pair.settle(id)
	}
}

// Settings implements http2.Handler.
func (d *h2Side) Settings(int64, bool) {}

// Ping implements http2.Handler.
func (d *h2Side) Ping(bool, int64) {}

// Lost implements http2.Handler: streams that were open may have lost frames, so what they lack may have been sent.
func (d *h2Side) Lost(start, end int64) {
	for _, id := range d.pair.order {
		m := d.pair.streams[id].ex.message(d.from)
		m.Holes = append(m.Holes, Span{m.Wire.Len(), m.Wire.Len()})
	}
}
