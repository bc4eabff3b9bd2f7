package pcap

import (
	"time"

	"mcptrace/capture"
)

// noAnswer is how long a single SYN must have gone unanswered to count as a failure.
const noAnswer = 3 * time.Second

// handshake is what was seen of the opening of a connection. The times are of the first packets.
type handshake struct {
	syns, synAcks int
	syn, synAck   capture.Instant
	done          bool // the client has acknowledged the SYN-ACK
	failed        bool // told as a failure
}

// synchronize takes a SYN or SYN-ACK.
func (c *conn) synchronize(s *segment, d, p *direction) {
	if d.max == 0 && (!d.synced || c.sink == nil) {
		d.start(s.seq + 1)
	}
	if d.base != s.seq+1 {
		return // a stray of another connection
	}
	d.synced = true
	d.scale = int8(s.windowScale())
	h := &c.hand
	if !s.has(flagACK) {
		c.setClient(s.from)
		if h.syns++; h.syns == 1 {
			h.syn = s.at
		}
		return
	}
	c.setClient(s.from ^ 1)
	c.t.servers.add(s.flow[s.from])
	if !p.synced && !(p.started && p.max > 0) {
		p.start(s.ack)
		p.synced = true
	}
	if h.synAcks++; h.synAcks > 1 {
		return
	}
	h.synAck = s.at
	if h.syns == 1 { // a retransmitted SYN leaves open which one was answered
		c.info.Vantage.RTTServer = max(0, s.at.Sub(h.syn))
	}
}

// setClient settles who is who, as long as nothing was told.
func (c *conn) setClient(i uint8) {
	if c.sink == nil {
		c.client, c.sided = i, true
	}
}

// finishHandshake takes the client's acknowledgement of the SYN-ACK.
func (c *conn) finishHandshake(s *segment) {
	h := &c.hand
	if h.done || h.synAcks == 0 || s.from != c.client || s.has(flagSYN|flagRST) || !s.has(flagACK) {
		return
	}
	h.done = true
	if h.synAcks == 1 && s.length == 0 && s.ack == c.dir[s.from^1].base {
		c.info.Vantage.RTTClient = max(0, s.at.Sub(h.synAck))
	}
}

// begin tells the recorder of c: s is its first segment with payload. A translated copy of a connection that was told
// before is told of there.
func (c *conn) begin(s *segment) {
	if o := c.t.twins.twinOf(c, s); o != nil {
		c.becomeCopy(o)
		return
	}
	if !c.sided {
		c.client = c.t.servers.clientOf(s)
		for i := range c.info.Closings { // until now their sides were indexes into flow
			c.info.Closings[i].By ^= capture.Side(c.client)
		}
		c.sided = true
	}
	c.t.servers.add(s.flow[c.client^1])
	c.info.Client, c.info.Server = c.flow[c.client].addrPort(), c.flow[c.client^1].addrPort()
	if c.info.MidStart = c.hand.syns+c.hand.synAcks == 0; c.info.MidStart {
		c.t.quality[c.info.Input].MidStartConnections++
	}
	c.sink = c.t.rec.Connection(c.info)
	c.tellFIN(0)
	c.tellFIN(1)
}

// becomeCopy makes c a copy of o: its packets are counted there and dropped.
func (c *conn) becomeCopy(o *conn) {
	c.copyOf = o
	o.info.CopiesDropped += int32(c.packets)
	c.t.quality[c.info.Input].DuplicatePackets += c.packets
	o.seenAs(c.endsAsText())
}

// endsAsText returns "client -> server".
func (c *conn) endsAsText() string {
	return c.flow[c.client].addrPort().String() + " -> " + c.flow[c.client^1].addrPort().String()
}

const maxSeenAs = 16 // names kept of one connection's copies

func (c *conn) seenAs(name string) {
	for _, n := range c.info.AlsoSeenAs {
		if n == name {
			return
		}
	}
	if len(c.info.AlsoSeenAs) < maxSeenAs {
		c.info.AlsoSeenAs = append(c.info.AlsoSeenAs, name)
	}
}

// failReset tells of a connection that was reset before it carried a byte. s is the RST.
func (c *conn) failReset(s *segment) {
	switch h := &c.hand; {
	case c.sink != nil || c.copyOf != nil || h.failed || h.syns+h.synAcks == 0:
	case h.synAcks > 0:
		c.fail("reset", c.side(s.from).String())
	case s.from != c.client:
		c.fail("refused", c.side(s.from).String())
	}
}

// failTimeout tells of a connection whose SYN nobody answered until now.
func (c *conn) failTimeout(now capture.Instant) {
	h := &c.hand
	unanswered := h.syns > 0 && h.syns == c.packets && !h.failed && c.sink == nil // nothing but SYNs
	if unanswered && (h.syns > 1 || now.Sub(h.syn) > noAnswer) {
		c.fail("timeout", "")
	}
}

func (c *conn) fail(kind, by string) {
	c.hand.failed = true
	start := c.hand.syn
	if c.hand.syns == 0 {
		start = c.hand.synAck
	}
	c.t.rec.ConnectFailure(capture.ConnectFailure{
		Client: c.flow[c.client].addrPort(), Server: c.flow[c.client^1].addrPort(), Start: start, Kind: kind, By: by,
	})
}
