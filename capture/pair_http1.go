package capture

import (
	"strings"

	"mcptrace/capture/wire/http1"
)

// h1Pair pairs the two directions of an HTTP/1 connection: the n-th response answers the n-th request.
type h1Pair struct {
	a     *Assembly
	c     *Conn
	side  [2]h1Side
	queue []*Exchange // requests that wait for the end of their response, oldest first
	done  settling
	next  Duplex // who reads on after an upgrade to HTTP/2
	over  bool   // a reset ended both directions
}

// h1Side is one direction: its framing and the message that is under way.
type h1Side struct {
	pair   *h1Pair
	from   Side
	parser *http1.Parser
	ex     *Exchange // whose message is under way, nil between messages
	origin int64     // offset in the direction of the message's first byte
	seen   int64     // offset just past what was added to the message
	base   int64     // offset of run
	run    []byte    // the bytes being written
	stamp  Stamp
	ended  How // how the side closed, NoEnd while it has not
	endAt  Stamp
	// early holds bytes that stand between messages: the parser may tell only later that a message began in them.
	early     Message
	earlyFrom int64
}

func newH1Pair(a *Assembly, c *Conn, resync bool) *h1Pair {
	p := &h1Pair{a: a, c: c, done: settling{a: a}}
	for i := range p.side {
		p.side[i].pair, p.side[i].from = p, Side(i)
		p.side[i].early.Wire.purse = &a.purse
	}
	p.side[Client].parser = http1.NewRequestParser(&p.side[Client])
	p.side[Server].parser = http1.NewResponseParser(&p.side[Server], p.method)
	if resync {
		p.side[Client].parser.Resync()
		p.side[Server].parser.Resync()
	}
	return p
}

// method returns the method of the request whose response comes next.
func (p *h1Pair) method() string {
	if len(p.queue) > 0 && p.queue[0].Request.Head != nil {
		return p.queue[0].Request.Head.Method
	}
	return ""
}

// Data implements Duplex.
func (p *h1Pair) Data(from Side, b []byte, s Stamp) {
	if p.next != nil {
		p.next.Data(from, b, s)
		return
	}
	d := &p.side[from]
	d.run, d.stamp = b, s
	n := d.parser.Write(b)
	d.take(d.base + int64(n))
	d.base += int64(n)
	d.run = nil
	if n < len(b) {
		p.upgrade(from, b[n:], s)
	}
}

// Missing implements Duplex.
func (p *h1Pair) Missing(from Side, n int64, s Stamp) {
	if p.next != nil {
		p.next.Missing(from, n, s)
		return
	}
	d := &p.side[from]
	d.run, d.stamp = nil, s
	if d.ex != nil {
		d.limit(n, func(n int64) { d.msg().addHole(n, s, d.ex.Start, d.base) })
	} else {
		d.early.reset()
	}
	d.base += n
	d.seen = d.base
	d.parser.Missing(n)
}

// Ack implements Duplex.
func (p *h1Pair) Ack(of Side, off int64, gone bool, s Stamp) {
	if p.next != nil {
		p.next.Ack(of, off, gone, s)
	}
	if gone {
		return
	}
	for _, ex := range p.queue {
		ex.message(of).ack(off, s.Seen, ex.Start)
	}
	if d := &p.side[of]; of == Client && d.ex != nil {
		d.msg().ack(off, s.Seen, d.ex.Start)
	}
	p.done.ack(of, off, s.Seen)
}

// End implements Duplex.
func (p *h1Pair) End(by Side, how How, s Stamp) {
	if p.next != nil {
		p.next.End(by, how, s)
		return
	}
	if p.over {
		return
	}
	d := &p.side[by]
	first := d.ended == NoEnd
	if first {
		d.ended, d.endAt = how, s
	}
	if first && by == Server && how != RST && how != FatalAlert {
		d.stamp = s
		d.parser.EOF() // completes a close-delimited body
	}
	for _, ex := range p.queue {
		p.finish(ex, by, how, s)
	}
	if how == RST || how == FatalAlert {
		p.over = true
	}
	if p.over || by == Server {
		p.settleQueue()
	}
}

// finish writes down how ex was ended, unless that is known.
func (p *h1Pair) finish(ex *Exchange, by Side, how How, s Stamp) {
	if ex.Ending.Kind != "" {
		return
	}
	e := Ending{By: by.String(), How: how, At: ex.SinceStart(s.Seen), Packet: s.Packet}
	switch {
	case ex.Response.Head == nil && ex.Response.Wire.Len() == 0 && ex.Interim == 0:
		e.Kind = EndNone
	case ex.Response.Head != nil && ex.Response.Head.Framing == http1.Close:
		e.Kind = EndCloseDelimited
	default:
		e.Kind = endKinds[how]
	}
	ex.Ending = e
}

var endKinds = map[How]EndKind{FIN: EndFIN, RST: EndRST, CloseNotify: EndTLSAlert, FatalAlert: EndTLSAlert}

// settleQueue hands all exchanges under way to the settling queue.
func (p *h1Pair) settleQueue() {
	for _, ex := range p.queue {
		p.done.add(ex)
	}
	p.queue = nil
	p.side[Server].ex = nil
}

// Close implements Duplex.
func (p *h1Pair) Close(s Stamp) {
	if p.next != nil {
		p.next.Close(s)
	}
	if d := &p.side[Server]; d.ended != NoEnd {
		for _, ex := range p.queue {
			p.finish(ex, Server, d.ended, d.endAt)
		}
	}
	for _, ex := range p.queue {
		if ex.Ending.Kind == "" {
			ex.Ending = Ending{Kind: EndOpen, At: -1}
		}
	}
	p.settleQueue()
	p.done.flush(true)
	p.letGo()
}

// letGo gives back what belongs to no exchange.
func (p *h1Pair) letGo() {
	for i := range p.side {
		p.side[i].early.reset()
	}
}

func (d *h1Side) msg() *Message { return d.ex.message(d.from) }

// take adds the bytes of the run before offset to the message under way.
func (d *h1Side) take(to int64) {
	if d.run == nil || to <= d.seen {
		return
	}
	part := d.run[d.seen-d.base : to-d.base]
	if d.ex == nil {
		d.keepEarly(part)
	} else {
		d.limit(int64(len(part)), func(n int64) { d.msg().add(part[:n], d.stamp, d.ex.Start, d.seen) })
	}
	d.seen = to
}

// limit calls add with as many of n bytes as the message may still take.
func (d *h1Side) limit(n int64, add func(int64)) {
	m := d.msg()
	most := d.pair.a.MaxMessage
	if most <= 0 || m.Wire.Len()+n <= most {
		add(n)
		return
	}
	add(max(0, most-m.Wire.Len()))
	m.cut()
}

// earlyLimit is more than any start line the parser waits for.
const earlyLimit = 512 << 10

func (d *h1Side) keepEarly(part []byte) {
	if d.early.Wire.Len() == 0 {
		d.earlyFrom = d.seen
	}
	if d.early.Wire.Len()+int64(len(part)) > earlyLimit {
		d.early.reset()
		d.earlyFrom = d.seen
	}
	d.early.add(part, d.stamp, 0, d.seen)
}

// Start implements http1.Handler.
func (d *h1Side) Start(off int64) {
	d.take(off)
	at, ok := d.early.startAt(off - d.earlyFrom)
	if off >= d.base || !ok {
		at = d.stamp
	}
	if d.from == Client {
		d.ex = d.pair.a.newExchange(d.pair.c, "1.1", at.Seen)
		d.pair.queue = append(d.pair.queue, d.ex)
		d.pair.bound()
	} else if d.ex = d.pair.answering(at); d.ex.Response.Wire.Len() > 0 {
		// an interim response came before: its bytes stay, so that the recorded server can be played whole
		d.ex.Response.HeadStart = d.ex.Response.Wire.Len()
	}
	m := d.msg()
	d.origin = off - m.Wire.Len()
	if off < d.base && ok {
		m.adopt(&d.early, off-d.earlyFrom, d.ex.Start)
	}
	d.early.reset()
}

// maxQueue bounds the requests of one connection that wait for a response: where only requests are captured, none comes.
const maxQueue = 1024

// bound lets the oldest waiting request go when there are too many.
func (p *h1Pair) bound() {
	if len(p.queue) <= maxQueue {
		return
	}
	ex := p.queue[0]
	p.forget(ex)
	ex.Ending = Ending{Kind: EndOpen, At: -1}
	p.a.cuts++
	p.done.add(ex)
}

// startAt returns the stamp of byte off.
func (m *Message) startAt(off int64) (Stamp, bool) {
	i := m.chunkAt(off)
	if i < 0 || off >= m.Wire.Len() {
		return Stamp{}, false
	}
	c := m.Chunks[i]
	return Stamp{Seen: Instant(c.Seen), At: Instant(c.At), Packet: c.Packet}, true
}

// adopt appends what early holds from off on. Early's times are absolute.
func (m *Message) adopt(early *Message, off int64, start Instant) {
	for i, c := range early.Chunks {
		end := early.Wire.Len()
		if i+1 < len(early.Chunks) {
			end = early.Chunks[i+1].Off
		}
		from := max(off, c.Off)
		if from < end {
			m.add(early.Wire.Bytes(from, end), Stamp{Instant(c.Seen), Instant(c.At), c.Packet}, start, c.conn+from-c.Off)
		}
	}
}

// answering returns the exchange whose response begins now.
func (p *h1Pair) answering(s Stamp) *Exchange {
	if len(p.queue) == 0 {
		p.queue = append(p.queue, p.a.newExchange(p.c, "1.1", s.Seen))
	}
	return p.queue[0]
}

// Head implements http1.Handler.
func (d *h1Side) Head(h *http1.Head, end int64) {
	d.take(end)
	if d.ex == nil {
		return
	}
	if d.from == Server && h.Status >= 100 && h.Status < 200 && h.Status != 101 {
		d.ex.Interim++
		return
	}
	m := d.msg()
	m.Head, m.HeadEnd = h, end-d.origin
	d.ex.Proto = protoOf(h)
}

// protoOf returns the version, which will outlive the head it stands in.
func protoOf(h *http1.Head) string {
	switch v := h.Proto[len("HTTP/"):]; v {
	case "1.1":
		return "1.1"
	case "1.0":
		return "1.0"
	default:
		return strings.Clone(v)
	}
}

// spent reports whether nothing more can come of the pair: no exchange waits and the client has ended, so that none will
// follow. A client that has not may still have sent a request before it learnt that the server had reset.
func (p *h1Pair) spent() bool {
	return p.side[Client].ended != NoEnd && p.next == nil && len(p.queue) == 0 && len(p.done.wait) == 0 && p.side[Client].ex == nil && p.side[Server].ex == nil
}

// Body implements http1.Handler.
func (d *h1Side) Body(start, end int64) {
	d.take(end)
	if d.ex != nil {
		m := d.msg()
		if kept := min(end-d.origin, m.Wire.Len()); kept > start-d.origin {
			m.addBody(start-d.origin, kept)
		}
	}
}

// Lost implements http1.Handler.
func (d *h1Side) Lost(start, end int64) { d.Body(start, end) }

// End implements http1.Handler.
func (d *h1Side) End(off int64) {
	d.take(off)
	ex := d.ex
	d.ex = nil
	if ex == nil || d.from == Server && ex.Response.Head == nil {
		return // an interim response
	}
	ex.message(d.from).Complete = true
	if d.from == Client {
		return
	}
	d.pair.forget(ex)
	kind := EndClean
	if ex.Response.Head.Framing == http1.Close {
		kind = EndCloseDelimited
	}
	by, how := "", NoEnd
	if kind == EndCloseDelimited {
		by, how = "server", FIN
	}
	ex.Ending = Ending{Kind: kind, By: by, How: how, At: ex.SinceStart(d.stamp.At), Packet: d.stamp.Packet}
	d.pair.done.add(ex)
}

// Broken implements http1.Handler. What cannot be framed cannot be followed any further, so the responses behind it cannot
// be told apart either.
func (d *h1Side) Broken(off int64, why string) {
	d.take(off)
	ex := d.ex
	d.ex = nil
	if ex == nil {
		return
	}
	m := ex.message(d.from)
	if d.parser.Limited() {
		m.cut()
	}
	if m.Head == nil && ex.Interim == 0 && !m.Cut {
		m.reset() // it was no message after all
		if ex.Request.Head == nil && ex.Response.Head == nil && d.pair.side[d.from.Peer()].ex != ex && d.pair.forget(ex) {
			ex.Release()
		}
		return
	}
	if d.from == Server {
		d.pair.forget(ex)
		ex.Ending = Ending{Kind: EndOpen, At: -1}
		d.pair.done.add(ex)
	}
}

// forget takes ex off the queue and reports whether it was there.
func (p *h1Pair) forget(ex *Exchange) bool {
	for i, q := range p.queue {
		if q == ex {
			p.queue = append(p.queue[:i], p.queue[i+1:]...)
			return true
		}
	}
	return false
}
