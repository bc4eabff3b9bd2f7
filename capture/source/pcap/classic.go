package pcap

import (
	"encoding/binary"
	"io"
	"math"

	"mcptrace/capture"
)

// File magics as a little-endian reader sees the bytes of a little-endian file.
const (
	magicMicro    = 0xa1b2c3d4
	magicNano     = 0xa1b23c4d
	magicModified = 0xa1b2cd34 // Kuznetzov's patched libpcap: longer record headers
	magicIxiaHW   = 0x1c0001ac // Ixia: nanoseconds, and a length behind the file header
	magicIxiaSW   = 0x1c0001ab
)

const (
	maxPacket = 256 << 20 // longest captured packet believed, bytes
	maxBlock  = 512 << 20 // longest pcapng block believed, bytes
)

// record is one packet of an input. data is lent until the next one is read.
type record struct {
	data   []byte
	length int // bytes on the wire, at least len(data)
	at     capture.Instant
	link   uint16
	number int64 // from 1
}

// endian reads integers in the order a file was written in, without an interface call.
type endian bool

const (
	littleEndian endian = false
	bigEndian    endian = true
)

func (e endian) u16(p []byte) uint16 {
	if e == bigEndian {
		return binary.BigEndian.Uint16(p)
	}
	return binary.LittleEndian.Uint16(p)
}

func (e endian) u32(p []byte) uint32 {
	if e == bigEndian {
		return binary.BigEndian.Uint32(p)
	}
	return binary.LittleEndian.Uint32(p)
}

func (e endian) u64(p []byte) uint64 {
	if e == bigEndian {
		return binary.BigEndian.Uint64(p)
	}
	return binary.LittleEndian.Uint64(p)
}

// classic reads a pcap file.
//
// Source: draft-ietf-opsawg-pcap.
type classic struct {
	w      *window
	order  endian
	link   uint16
	header int   // length of a record's header
	unit   int64 // nanoseconds per unit of the sub-second field
	count  int64
}

// classicKind tells whether p begins with the magic of a pcap file, in which order, and which.
func classicKind(p []byte) (endian, uint32, bool) {
	if len(p) < 4 {
		return littleEndian, 0, false
	}
	for _, order := range []endian{littleEndian, bigEndian} {
		switch m := order.u32(p); m {
		case magicMicro, magicNano, magicModified, magicIxiaHW, magicIxiaSW:
			return order, m, true
		}
	}
	return littleEndian, 0, false
}

// newClassic reads the file header behind w.
func newClassic(w *window) (*classic, error) {
	p, err := w.take(24)
	if err != nil {
		return nil, w.cut("the file header", err)
	}
	order, magic, _ := classicKind(p)
	// The upper half of the link type field tells of frame check sequences; IP's own length leaves them out anyway.
	c := &classic{w: w, order: order, header: 16, unit: 1000, link: uint16(order.u32(p[20:]))}
	if major := order.u16(p[4:]); major != 2 {
		return nil, damaged(4, "pcap version %d is not supported", major)
	}
	switch magic {
	case magicNano:
		c.unit = 1
	case magicModified:
		c.header = 24
	case magicIxiaHW, magicIxiaSW:
		c.unit = 1
		if _, err := w.take(4); err != nil {
			return nil, w.cut("the file header", err)
		}
	}
	return c, nil
}

// next reads one packet. It returns io.EOF at the end of a whole file, else *damage.
func (c *classic) next(r *record) error {
	at := c.w.off
	h, err := c.w.take(c.header)
	if err == io.EOF {
		return err
	}
	if err != nil {
		return c.w.cut("a packet header", err)
	}
	seconds, fraction := int64(c.order.u32(h)), int64(c.order.u32(h[4:]))
	captured, length := c.order.u32(h[8:]), c.order.u32(h[12:])
	if captured > maxPacket {
		return damaged(at, "packet %d claims %d captured bytes", c.count+1, captured)
	}
	if r.data, err = c.w.take(int(captured)); err != nil {
		return c.w.cut("a packet", err)
	}
	c.count++
	r.number = c.count
	r.link = c.link
	r.at = capture.Instant(seconds*1e9 + fraction*c.unit)
	r.length = max(int(min(length, math.MaxInt32)), len(r.data))
	return nil
}
