package pcap

import (
	"time"

	"mcptrace/capture"
)

const (
	gracePackets = 3                     // further packets of a side that may bring late what its peer acknowledged
	graceTime    = 50 * time.Millisecond // the same in capture time
	maxClosings  = 64                    // kept of one connection
)

// conn is one connection: a generation of a flow.
type conn struct {
	t      *table
	flow   flow
	info   *capture.Conn
	sink   capture.Duplex // nil until the first byte
	dir    [2]direction   // by index into flow
	client uint8          // index into flow
	sided  bool           // client is known
	hand   handshake
	copyOf *conn // this is a translated copy of that connection

	input   int   // that its packets come from
	others  []int // inputs that hold it too
	packets int

	opening  opening // see twins
	openedAt capture.Instant

	closing, gone, full bool
	older, newer        *conn // by last packet
}

func (c *conn) side(i uint8) capture.Side { return capture.Side(i ^ c.client) }

// packet takes the next segment of c.
func (c *conn) packet(s *segment) {
	d, p := &c.dir[s.from], &c.dir[s.from^1]
	if d.seen = true; s.has(flagSYN) {
		c.synchronize(s, d, p)
	} else if !d.synced && d.max == 0 {
		c.startMiddle(s, d, p)
	}
	if s.has(flagRST) {
		c.resetBy(s, d, p)
		return
	}
	if s.has(flagACK) {
		c.acknowledge(s, d, p, d.over)
	}
	c.announce(s, d)
	if s.length > 0 {
		c.payload(s, d)
	}
	if s.has(flagFIN) {
		c.finBy(s, d)
	}
	if c.sink != nil {
		c.settle(s)
	}
}

// startMiddle fixes the zero point of a direction whose SYN was not seen, and again as long as no byte of it was: a
// keep-alive probe carries the sequence number before.
func (c *conn) startMiddle(s *segment, d, p *direction) {
	base := s.seq
	if s.length == 1 && !s.has(flagPSH|flagFIN) && !looksLikeClient(s.payload) {
		base++
	}
	if d.fin < 0 {
		d.start(base)
	}
}

// announce follows the window of d's side.
func (c *conn) announce(s *segment, d *direction) {
	if s.has(flagSYN) {
		d.announce(s.window, false)
		return
	}
	scaled := d.scale > 0 && c.dir[s.from^1].scale >= 0
	if d.announce(s.window, scaled) && c.sink != nil {
		c.info.WindowCloses++
	}
}

// acknowledge takes the acknowledgement in s, which d's side sent of p's bytes. gone: that side had closed before.
func (c *conn) acknowledge(s *segment, d, p *direction, gone bool) {
	if !p.started {
		p.start(s.ack)
		return
	}
	off := p.offset(s.ack)
	if off <= p.acked || p.isJump(off, &p.aheadAck) {
		return
	}
	p.acked = off
	if p.fin >= 0 {
		off = min(off, p.fin)
	}
	m := mark{off: min(off, p.next), gone: gone, stamp: s.stamp()}
	c.tellAck(s.from^1, m)
	if off <= p.next {
		return
	}
	m.off = off // the rest is told once its bytes are
	p.noteAck(m)
	if p.hole.Packet == 0 {
		p.hole, p.holeCount = m.stamp, 0
	}
}

// tellAck tells that side i's bytes before m were acknowledged.
func (c *conn) tellAck(i uint8, m mark) {
	d := &c.dir[i]
	if m.off <= d.told {
		return
	}
	d.told = m.off
	if c.sink != nil {
		c.sink.Ack(c.side(i), m.off, m.gone, m.stamp)
	}
}

// tellAcks tells the acknowledgements that waited for side i's bytes, as far as these have been told by now.
func (c *conn) tellAcks(i uint8, now capture.Instant) {
	d := &c.dir[i]
	for len(d.acks) > 0 && d.acks[0].off <= d.next {
		m := d.acks[0]
		if d.acks = d.acks[1:]; len(d.acks) == 0 {
			d.acks = nil
		}
		m.stamp.At = max(m.stamp.At, now)
		c.tellAck(i, m)
	}
}

// finBy takes the FIN in s, which d's side sent.
func (c *conn) finBy(s *segment, d *direction) {
	off := d.offset(s.seq) + int64(s.length)
	if s.has(flagSYN) {
		off++
	}
	if d.fin >= 0 || off < d.max || d.isJump(off, &d.aheadSeq) {
		return
	}
	d.fin, d.finStamp, d.over = off, s.stamp(), true
	d.max = off
	c.addClosing(s, capture.FIN, off)
	c.tellFIN(s.from)
	if c.dir[s.from^1].fin >= 0 {
		c.t.close(c)
	}
}

// tellFIN tells the end of side i's direction once all its bytes have been told.
func (c *conn) tellFIN(i uint8) {
	d := &c.dir[i]
	if d.ended || d.fin < 0 || d.next < d.fin || c.sink == nil {
		return
	}
	d.ended = true
	c.sink.End(c.side(i), capture.FIN, d.at(d.finStamp))
}

// resetBy takes a RST, which d's side sent.
func (c *conn) resetBy(s *segment, d, p *direction) {
	if !c.inWindow(s, d, p) {
		c.t.quality[s.input].OutsideResets++
		c.info.OutsideResets++
		return
	}
	if s.has(flagACK) && p.started {
		c.acknowledge(s, d, p, true)
	}
	c.fillAcked(0, s.stamp())
	c.fillAcked(1, s.stamp())
	again := d.reset
	d.over, d.reset = true, true
	c.addClosing(s, capture.RST, d.max)
	c.failReset(s)
	if !again && c.sink != nil {
		d.ended = true
		c.sink.End(c.side(s.from), capture.RST, d.at(s.stamp()))
	}
	c.t.close(c)
}

// inWindow tells whether a RST stands where its receiver would take it: at or behind what it has acknowledged, within
// the window it offered. Where the window's scale is not known, a usual one is assumed; a connection that is over takes
// every RST.
//
// Source: RFC 9293 section 3.10.7.4, RFC 5961 section 3.
func (c *conn) inWindow(s *segment, d, p *direction) bool {
	if c.closing || !d.started || c.sink == nil && !d.synced {
		return true
	}
	window := int64(p.window)
	if p.scale < 0 && !p.synced {
		window <<= scaleUnknown
	}
	off := d.offset(s.seq)
	low := d.acked - 1
	if d.acked == 0 {
		low = min(d.next, d.max) - 1
	}
	return off >= low && off <= max(d.max+1, d.acked+window)
}

// addClosing notes a FIN or RST. off is the number of bytes its side had sent.
func (c *conn) addClosing(s *segment, how capture.How, off int64) {
	if len(c.info.Closings) >= maxClosings {
		if !c.full {
			c.full = true
			c.t.quality[s.input].LimitCuts++
		}
		return
	}
	c.info.Closings = append(c.info.Closings, capture.Closing{
		By: c.side(s.from), How: how, At: s.at, Packet: s.packet, Offset: off, TTL: s.ttl,
	})
}

// settle gives up holes that the peer has acknowledged, once the packets that may be late have had their time.
func (c *conn) settle(s *segment) {
	for i := range c.dir {
		d := &c.dir[i]
		if d.hole.Packet == 0 {
			continue
		}
		if d.next >= d.acked {
			d.hole.Packet = 0
			continue
		}
		if uint8(i) == s.from {
			d.holeCount++
		}
		if d.holeCount > gracePackets || s.at.Sub(d.hole.Seen) > graceTime {
			c.fillAcked(uint8(i), s.stamp())
		}
	}
}
