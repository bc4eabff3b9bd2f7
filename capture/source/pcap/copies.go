package pcap

import (
	"encoding/binary"
	"hash/maphash"
	"math/bits"
	"time"

	"mcptrace/capture"
)

const (
	copyWindow   = 10 * time.Millisecond  // between a packet and its copy
	copyWindowID = time.Millisecond       // the same where no IP identification tells a copy from a retransmission
	copySlots    = 1 << 14                // packets remembered; at 1.6 million packets a second 10 ms of them
	twinWindow   = 250 * time.Millisecond // between the first payload of a connection and that of its translated copy
)

// copies remembers the last packets to recognise those that the recorder saw twice. A copy has everything in common but
// what a hop on the way changes (link header, TTL, checksums); a retransmission has another IP identification or comes
// later. Of packets without payload or flags nothing is said where there is no identification: equal acknowledgements
// are ordinary, and harmless.
type copies struct {
	slots [copySlots]struct {
		sum uint64
		at  capture.Instant
	}
}

// isCopy tells whether s was seen just before, and remembers it.
func (c *copies) isCopy(s *segment) bool {
	window := copyWindow
	if s.ipID == 0 {
		if s.length == 0 && !s.has(flagSYN|flagFIN|flagRST) {
			return false
		}
		window = copyWindowID
	}
	sum := s.fingerprint()
	slot := &c.slots[sum%copySlots]
	if slot.sum == sum {
		if d := s.at.Sub(slot.at); d >= 0 && d <= window {
			return true
		}
	}
	slot.sum, slot.at = sum, s.at
	return false
}

// fingerprint sums up a segment, its payload by length and both ends.
func (s *segment) fingerprint() uint64 {
	h := mix(uint64(s.seq)<<32|uint64(s.ack), uint64(s.length)<<32|uint64(s.ipID)<<16|uint64(s.window))
	h = mix(h^uint64(s.from)<<8^uint64(s.flags), s.flow.sum())
	for o := s.options; len(o) >= 4; o = o[4:] {
		h = mix(h, uint64(binary.LittleEndian.Uint32(o))+1)
	}
	if p := s.payload; len(p) >= 16 {
		h = mix(h^binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:]))
		p = p[len(p)-16:]
		return mix(h^binary.LittleEndian.Uint64(p), binary.LittleEndian.Uint64(p[8:]))
	}
	for _, b := range s.payload {
		h = mix(h, uint64(b)+1)
	}
	return h
}

// sum mixes both ends into one number.
func (f *flow) sum() uint64 {
	a, b := &f[0].addr, &f[1].addr
	h := mix(binary.LittleEndian.Uint64(a[:]), binary.LittleEndian.Uint64(a[8:])^uint64(f[0].port))
	return mix(h^binary.LittleEndian.Uint64(b[:]), binary.LittleEndian.Uint64(b[8:])^uint64(f[1].port)<<16)
}

// mix folds the product of two numbers, made odd by constants.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return hi ^ lo
}

// opening identifies a connection by its first segment with payload. After a handshake that says that both initial
// sequence numbers and the payload are equal; address translation changes none of them.
type opening struct {
	seq, ack uint32
	length   int
	payload  uint64
}

// twins finds the copy of a connection that was captured before and after address translation.
type twins struct {
	seed maphash.Seed
	seen map[opening]*conn
}

func newTwins() twins {
	return twins{seed: maphash.MakeSeed(), seen: map[opening]*conn{}}
}

// twinOf returns the connection that c, whose first payload s is, is a copy of, or nil. It remembers c.
func (t *twins) twinOf(c *conn, s *segment) *conn {
	c.opening = opening{seq: s.seq, ack: s.ack, length: s.length, payload: maphash.Bytes(t.seed, s.payload)}
	if o := t.seen[c.opening]; o != nil && o.flow != c.flow && s.at.Sub(o.openedAt) <= twinWindow {
		return o
	}
	c.openedAt = s.at
	t.seen[c.opening] = c
	return nil
}

// forget drops what twinOf remembered of c.
func (t *twins) forget(c *conn) {
	if t.seen[c.opening] == c {
		delete(t.seen, c.opening)
	}
}
