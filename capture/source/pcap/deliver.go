package pcap

import "mcptrace/capture"

// payload takes the bytes of a segment that d's side sent.
func (c *conn) payload(s *segment, d *direction) {
	if c.sink == nil && c.copyOf == nil {
		c.begin(s)
	}
	if c.copyOf != nil {
		return
	}
	p := piece{off: d.offset(s.seq), data: s.payload, cut: int64(s.length - len(s.payload)), seen: s.stamp()}
	if s.has(flagSYN) {
		p.off++
	}
	if d.fin >= 0 && p.end() > d.fin {
		p, _ = p.split(d.fin)
	}
	switch {
	case d.isJump(p.off, &d.aheadSeq):
		c.t.strays[s.input]++
		return
	case c.isProbe(s, d, p.off):
		return
	case p.end() <= d.next:
		c.retransmitted(s)
		return
	}
	if p.cut > 0 {
		c.info.SnaplenCut++
		c.t.quality[s.input].SnaplenCutPackets++
	}
	c.noteTTL(s)
	d.max = max(d.max, p.end())
	if p.off < d.next {
		c.retransmitted(s)
		_, p = p.split(d.next)
	}
	if p.off == d.next && len(d.queue) == 0 {
		c.tell(s.from, &p, p.seen)
		c.advanced(s.from, s.at)
		return
	}
	c.enqueue(s, d, p)
}

// isProbe tells whether s is a keep-alive probe: one byte, or none, that the peer has acknowledged before.
//
// Source: RFC 9293 section 3.8.4.
func (c *conn) isProbe(s *segment, d *direction, off int64) bool {
	return s.length <= 1 && off == d.max-1 && d.acked > off
}

// enqueue keeps a piece that came out of order, and tells what is contiguous now.
func (c *conn) enqueue(s *segment, d *direction, p piece) {
	before := d.queued
	if !d.insert(p) {
		c.retransmitted(s)
	}
	c.t.queued += d.queued - before
	c.drain(s.from, s.stamp())
	for d.queued > c.t.limits.OutOfOrder || d.queued > 0 && c.t.queued > c.t.limits.OutOfOrderTotal {
		c.t.quality[s.input].LimitCuts++
		c.skipTo(s.from, d.queue[0].off, s.stamp())
	}
}

// drain tells the queued pieces of side i that are contiguous. r is the stamp of what made them so.
func (c *conn) drain(i uint8, r capture.Stamp) {
	d := &c.dir[i]
	for len(d.queue) > 0 && d.queue[0].off <= d.next {
		before := d.queued
		p := d.pop()
		c.t.queued += d.queued - before
		c.tell(i, &p, p.released(r))
	}
	c.advanced(i, r.At)
}

// tell passes on a piece that begins at next.
func (c *conn) tell(i uint8, p *piece, s capture.Stamp) {
	d := &c.dir[i]
	s = d.at(s)
	d.next = p.end()
	if c.sink == nil {
		return
	}
	if len(p.data) > 0 {
		c.sink.Data(c.side(i), p.data, s)
	}
	if p.cut > 0 {
		c.sink.Missing(c.side(i), p.cut, s)
	}
}

// advanced tells what waited for the bytes of side i told last.
func (c *conn) advanced(i uint8, now capture.Instant) {
	if len(c.dir[i].acks) > 0 {
		c.tellAcks(i, now)
	}
	c.tellFIN(i)
}

// skipTo gives up the hole before offset off.
func (c *conn) skipTo(i uint8, off int64, s capture.Stamp) {
	d := &c.dir[i]
	if n := off - d.next; n > 0 {
		c.info.Gaps++
		c.info.GapBytes += n
		q := &c.t.quality[c.info.Input]
		q.TCPGaps++
		q.GapBytes += n
		c.tell(i, &piece{off: d.next, cut: n}, s)
		d.max = max(d.max, d.next)
	}
	c.drain(i, s)
}

// fillAcked gives up the holes of side i that its peer acknowledged: they were delivered, but not captured. The bytes
// behind them were readable when the acknowledgement passed, at the latest.
func (c *conn) fillAcked(i uint8, now capture.Stamp) {
	if c.sink == nil {
		return
	}
	d := &c.dir[i]
	s := d.hole
	if s.Packet == 0 {
		s = now
	}
	for end := d.holeEnd(); end > d.next; end = d.holeEnd() {
		c.skipTo(i, end, s)
	}
	d.hole.Packet = 0
}

// flush gives up every hole of side i: nothing more will come.
func (c *conn) flush(i uint8, now capture.Stamp) {
	d := &c.dir[i]
	c.fillAcked(i, now)
	for len(d.queue) > 0 {
		c.skipTo(i, d.queue[0].off, now)
	}
	if d.fin > d.next {
		c.skipTo(i, d.fin, now)
	}
}

func (c *conn) retransmitted(s *segment) {
	c.info.Retransmitted++
	c.t.quality[s.input].RetransmittedSegments++
}

func (c *conn) noteTTL(s *segment) {
	if c.side(s.from) == capture.Client {
		c.info.ClientDataTTL = s.ttl
	} else {
		c.info.ServerDataTTL = s.ttl
	}
}
