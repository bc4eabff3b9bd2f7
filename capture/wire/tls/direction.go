package tls

import (
	"bytes"
	"encoding/binary"
)

const (
	headerLen  = 5
	maxPayload = 1<<14 + 2048 // RFC 5246, section 6.2.3
	minSealed  = headerLen + 16 + 1

	// maxHeld is how many bytes of one direction wait for the hello of the other.
	maxHeld = 1 << 16
	// searchStep is how many bytes at a time join the search for a record boundary.
	searchStep = 1 << 14
)

// Record types. Source: RFC 8446, section 5.1.
const (
	typeChangeCipherSpec = 20
	typeAlert            = 21
	typeHandshake        = 22
	typeApplication      = 23
	typeHeartbeat        = 24
)

// direction frames the records of one direction and keeps its place in the key schedule.
type direction struct {
	c          *Conn
	fromClient bool

	off       int64   // offset of the first byte not dealt with
	buf       []byte  // bytes from off on that make no whole record, or wait
	mem       *buffer // where buf began; nil while nothing waits
	skip      int64   // bytes of a record with a hole still to pass over
	searching bool    // a hole took the record boundaries; off is where the next may be
	searched  int64   // offset of the last boundary whose record was looked for, -1 for none
	forced    bool    // the direction has waited long enough for the other one
	broken    bool    // no hello is to be expected from this direction

	handshake messages
	lost      span
	position
}

// span is a run of ciphertext that could not be read and has not been told of yet.
type span struct {
	start, end int64
	plain      int64
}

// payloadLen returns the length a record's header states.
func payloadLen(header []byte) int { return int(binary.BigEndian.Uint16(header[3:])) }

// plausible reports whether b, at least headerLen bytes, starts like a record.
func plausible(b []byte) bool {
	return b[0] >= typeChangeCipherSpec && b[0] <= typeHeartbeat && b[1] == 3 && b[2] <= 4 && payloadLen(b) <= maxPayload
}

// write takes the next bytes of the direction.
func (d *direction) write(p []byte) {
	for len(p) > 0 {
		if d.skip > 0 {
			n := min(d.skip, int64(len(p)))
			d.skip -= n
			d.lose(n, 0)
			p = p[n:]
			continue
		}
		if len(d.buf) == 0 && !d.searching {
			p = p[d.drain(p):]
		}
		n := min(d.want(), len(p))
		d.hold(p[:n])
		p = p[n:]
		d.drainHeld()
	}
}

// want is how many bytes to add to buf before looking at it again. None are wanted when too many wait for the other
// direction; that ends the wait.
func (d *direction) want() int {
	switch have := len(d.buf); {
	case d.searching:
		return searchStep
	case have < headerLen:
		return headerLen - have
	case have < headerLen+payloadLen(d.buf):
		return headerLen + payloadLen(d.buf) - have
	case have < maxHeld:
		return maxHeld - have
	}
	d.forced = true
	return 0
}

// drainHeld deals with what buf holds.
func (d *direction) drainHeld() {
	d.dropped(d.drain(d.buf))
}

// drain deals with the whole records at the start of b, which stands at offset off, and returns their length.
func (d *direction) drain(b []byte) int {
	used := 0
	for {
		if d.searching {
			n, found := d.search(b[used:])
			d.lose(int64(n), -1)
			used += n
			if !found {
				return used
			}
			d.searching = false
		}
		rest := b[used:]
		if len(rest) < headerLen {
			return used
		}
		if !plausible(rest) {
			d.unframed(maxPayload)
			continue
		}
		n := headerLen + payloadLen(rest)
		if len(rest) < n || d.waits(rest[0]) {
			return used
		}
		d.record(rest[:n])
		used += n
	}
}

// unframed gives up the record boundaries: n bytes are not known, or are no records.
func (d *direction) unframed(n int64) {
	d.searching = true
	d.searched = -1
	d.handshake.lose()
	d.slipBy(n/minSealed + 1)
	d.breakOff()
}

// missing notes that the next n bytes of the direction were not captured.
func (d *direction) missing(n int64) {
	if d.forced = true; len(d.buf) > 0 {
		d.drainHeld()
	}
	if d.skip > 0 {
		in := min(n, d.skip)
		d.skip -= in
		d.lose(in, 0)
		n -= in
	}
	if n == 0 {
		return
	}
	have := int64(len(d.buf))
	if d.searching || have < headerLen || have+n > headerLen+int64(payloadLen(d.buf)) {
		d.free()
		d.lose(have+n, -1)
		d.unframed(have + n)
		return
	}
	d.holed(n)
	d.breakOff()
}

// holed passes over a record whose header is known and whose payload lacks the next n bytes.
func (d *direction) holed(n int64) {
	defer d.free()
	record, have := d.buf, int64(len(d.buf))
	plain := int64(0)
	switch {
	case d.sealed(record[0]):
		plain = d.plainLen(record)
		d.slipBy(1)
	case record[0] == typeHandshake:
		d.messages(record[headerLen:], false) // the hello may stand in front of the hole
		d.handshake.lose()
	case record[0] == typeChangeCipherSpec:
		d.content(typeChangeCipherSpec, nil, d.off, false)
	}
	d.skip = headerLen + int64(payloadLen(record)) - have - n
	d.lose(have+n, plain)
}

// search looks for the next record in b, which stands at offset off. It returns how many bytes to pass over, and
// whether a record starts there; if none does, the rest of b is to be seen again with more behind it.
func (d *direction) search(b []byte) (n int, found bool) {
	for {
		n += d.nextHeader(b[n:])
		rest := b[n:]
		if len(rest) < headerLen {
			return n, false
		}
		size := headerLen + payloadLen(rest)
		if len(rest) < size {
			return n, false
		}
		if d.searched != d.off+int64(n) {
			d.searched = d.off + int64(n)
			if d.sealed(rest[0]) {
				if _, ok := d.hunt(rest[:size]); ok {
					return n, true
				}
			}
		}
		if len(rest) < size+headerLen {
			return n, false
		}
		if d.expected(rest[size:]) {
			return n, true
		}
		n++
	}
}

// nextHeader returns where in b the first thing like a record header is, or where one could begin that b cuts off.
func (d *direction) nextHeader(b []byte) int {
	for i := 0; i+headerLen <= len(b); i++ {
		at := bytes.IndexByte(b[i+1:], 3) // the major version
		if i += max(at, 0); at < 0 || i+headerLen > len(b) {
			break
		}
		if d.expected(b[i:]) {
			return i
		}
	}
	return max(0, len(b)-headerLen+1)
}

// expected is plausible with what is known of the connection; it is strict since any bytes may stand there.
func (d *direction) expected(b []byte) bool {
	if !plausible(b) || b[0] == typeHeartbeat || payloadLen(b) == 0 {
		return false
	}
	v := d.c.version()
	return v == 0 || uint16(b[1])<<8|uint16(b[2]) == min(v, version12)
}

// lose passes over n bytes that could not be read and hold plain bytes of plaintext, -1 if that is not known.
func (d *direction) lose(n, plain int64) {
	if n == 0 {
		return
	}
	start := d.off
	d.off += n
	if d.lost.end != start {
		d.tellLost()
		d.lost.start, d.lost.plain = start, 0
	}
	d.lost.end = d.off
	if plain < 0 || d.lost.plain < 0 {
		d.lost.plain = -1
	} else {
		d.lost.plain += plain
	}
}

// tellLost tells the handler of the run that could not be read, if there is one.
func (d *direction) tellLost() {
	l := d.lost
	if d.lost = (span{}); l.end > l.start {
		d.c.h.Lost(d.fromClient, l.start, l.end, l.plain)
	}
}
