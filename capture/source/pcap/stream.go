package pcap

import (
	"slices"
	"sort"

	"mcptrace/capture"
)

const (
	// jump is how far ahead of everything seen a number may lie to be believed at once. What lies further ahead may be
	// a damaged packet and needs a second one near it.
	jump = 1 << 20
	// behind is how far before the next byte a segment may lie to belong to the same stream.
	behind = 1 << 30
	// pieceCost is what a queued piece counts against the limits beside its bytes: it bounds their number.
	pieceCost = 256
	// maxAcks is how many acknowledgements may wait for the bytes they acknowledge.
	maxAcks = 16
)

// piece is a run of bytes that waits for those before it.
type piece struct {
	off  int64
	data []byte
	cut  int64 // bytes behind data that the snap length cut off
	seen capture.Stamp
}

func (p *piece) end() int64 { return p.off + int64(len(p.data)) + p.cut }

// mark is an acknowledgement: the peer has every byte before off.
type mark struct {
	off   int64
	gone  bool
	stamp capture.Stamp
}

// direction is the state of one direction of a connection: what its side sent. Offsets count its bytes from 0.
type direction struct {
	seen    bool // a packet of this side was seen
	started bool // base is known
	synced  bool // base comes from a handshake
	over    bool // its side has sent FIN or RST
	reset   bool // RST

	base uint32          // sequence number of byte 0
	next int64           // first byte not told yet
	max  int64           // end of the bytes seen, queue included
	fin  int64           // where its FIN stands, -1 if not seen
	last capture.Instant // At of the bytes told last

	queue  []piece // out of order: by offset, apart from each other
	queued int64   // cost of queue

	aheadSeq, aheadAck int64 // of the last numbers not believed

	acked int64  // highest acknowledgement by the peer
	told  int64  // highest told
	acks  []mark // waiting for the bytes they acknowledge

	hole      capture.Stamp // of the acknowledgement that passed next; Packet 0 if none did
	holeCount int           // packets of this side since

	finStamp capture.Stamp
	ended    bool // End told

	window uint32 // receive window this side announced last, bytes
	scale  int8   // window scale it announced, -1 if unknown
	closed bool   // its window was 0
}

func newDirection() direction { return direction{fin: -1, scale: -1} }

// start fixes the zero point, before any byte was told. What was known by another one is forgotten.
func (d *direction) start(base uint32) {
	if d.started && d.base == base {
		return
	}
	d.base, d.started = base, true
	d.acked, d.told, d.acks, d.hole = 0, 0, nil, capture.Stamp{}
}

// offset returns the stream offset of a sequence number: of all that differ by 2^32, the one nearest to next.
func (d *direction) offset(seq uint32) int64 {
	return d.next + int64(int32(seq-(d.base+uint32(d.next))))
}

// isJump tells whether off, of a segment or acknowledgement, is not to be believed yet. last is where the one before
// that was not believed is kept.
func (d *direction) isJump(off int64, last *int64) bool {
	if off <= d.max+jump {
		return false
	}
	near := *last-jump <= off && off <= *last+jump
	*last = off
	return !near
}

// insert queues a piece. Bytes queued before win over later ones, which it counts by returning false if nothing of p
// was new.
func (d *direction) insert(p piece) bool {
	fresh := false
	i := sort.Search(len(d.queue), func(i int) bool { return d.queue[i].end() > p.off })
	for end := p.end(); p.off < end; i++ {
		upTo := end
		if i < len(d.queue) {
			upTo = min(end, d.queue[i].off)
		}
		if part, rest := p.split(upTo); part.end() > part.off {
			part.data = slices.Clone(part.data)
			d.queue = slices.Insert(d.queue, i, part)
			d.queued += int64(len(part.data)) + pieceCost
			fresh = true
			p = rest
			i++
		}
		if i < len(d.queue) {
			_, p = p.split(d.queue[i].end())
		}
	}
	return fresh
}

// split divides p at offset at, which may lie outside of it.
func (p piece) split(at int64) (before, after piece) {
	n := max(0, min(at, p.end())-p.off) // bytes before
	k := min(n, int64(len(p.data)))
	before, after = p, p
	before.data, after.data = p.data[:k], p.data[k:]
	before.cut = n - k
	after.off, after.cut = p.off+n, p.cut-before.cut
	return before, after
}

// pop takes the first queued piece.
func (d *direction) pop() piece {
	p := d.queue[0]
	d.queue[0] = piece{}
	if d.queue = d.queue[1:]; len(d.queue) == 0 {
		d.queue = nil
	}
	d.queued -= int64(len(p.data)) + pieceCost
	return p
}

// at returns when bytes of this direction seen at s were readable: not before those told earlier.
func (d *direction) at(s capture.Stamp) capture.Stamp {
	d.last = max(d.last, s.At)
	s.At = d.last
	return s
}

// released returns the stamp of a queued piece that r made readable.
func (p *piece) released(r capture.Stamp) capture.Stamp {
	s := p.seen
	if r.At >= s.Seen {
		s.At, s.Packet = r.At, r.Packet
	}
	return s
}

// holeEnd returns where the bytes begin that are there again after a hole at next, as far as an acknowledgement proves
// that there were any: next itself if there is no such hole. One byte at the end may be a FIN that was not captured.
func (d *direction) holeEnd() int64 {
	end := d.acked
	switch {
	case len(d.queue) > 0:
		end = min(end, d.queue[0].off)
	case d.fin >= 0:
		end = min(end, d.fin)
	case end == d.next+1:
		return d.next
	}
	if !d.seen {
		return d.next // nothing of this side was captured: no hole, it is one-sided
	}
	return max(end, d.next)
}

// noteAck keeps an acknowledgement until the bytes it acknowledges have been told.
func (d *direction) noteAck(m mark) {
	if n := len(d.acks); n > 0 && (n >= maxAcks || d.acks[n-1].off >= m.off) {
		return
	}
	d.acks = append(d.acks, m)
}

// window scale assumed where the handshake was not seen: large enough for most stacks.
const scaleUnknown = 8

// announce takes the receive window of a segment. It tells whether it closed.
func (d *direction) announce(raw uint16, scaled bool) bool {
	shift := 0
	if scaled {
		shift = int(d.scale)
	}
	d.window = uint32(raw) << shift
	was := d.closed
	d.closed = raw == 0
	return d.closed && !was
}
