package capturetest

import (
	"encoding/binary"
	"net/netip"
)

// Flag is a set of TCP flags.
//
// Source: RFC 9293 section 3.1.
type Flag uint8

// The flags.
const (
	FIN Flag = 1 << iota
	SYN
	RST
	PSH
	ACK
)

// Segment is one TCP segment over IPv4.
type Segment struct {
	Src, Dst netip.AddrPort // IPv4
	Seq, Ack uint32
	Flags    Flag
	ID       uint16 // IP identification
	TTL      uint8  // 0 stands for 64
	Payload  []byte
}

const defaultTTL = 64

// HeaderLen is the number of bytes that stand before the payload of a frame: Ethernet, IPv4, TCP.
const HeaderLen = 14 + 20 + 20

// AppendFrame appends the Ethernet frame of s to b, with valid checksums, and returns the longer slice.
func (s *Segment) AppendFrame(b []byte) []byte {
	b = append(b, 2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1, 0x08, 0x00)
	ip := len(b)
	b = append(b, 0x45, 0)
	b = binary.BigEndian.AppendUint16(b, uint16(40+len(s.Payload)))
	b = binary.BigEndian.AppendUint16(b, s.ID)
	b = append(b, 0x40, 0, s.ttl(), 6, 0, 0) // do not fragment; TCP
	b = append(b, s.Src.Addr().AsSlice()...)
	b = append(b, s.Dst.Addr().AsSlice()...)
	binary.BigEndian.PutUint16(b[ip+10:], ^fold(sum(b[ip:])))

	tcp := len(b)
	b = binary.BigEndian.AppendUint16(b, s.Src.Port())
	b = binary.BigEndian.AppendUint16(b, s.Dst.Port())
	b = binary.BigEndian.AppendUint32(b, s.Seq)
	b = binary.BigEndian.AppendUint32(b, s.Ack)
	b = append(b, 5<<4, byte(s.Flags), 0xfa, 0xf0, 0, 0, 0, 0) // window 64240
	b = append(b, s.Payload...)
	pseudo := sum(b[ip+12:tcp]) + 6 + uint64(len(b)-tcp)
	binary.BigEndian.PutUint16(b[tcp+16:], ^fold(pseudo+sum(b[tcp:])))
	return b
}

func (s *Segment) ttl() byte {
	if s.TTL == 0 {
		return defaultTTL
	}
	return s.TTL
}

// sum adds the 16-bit words of p, the last one padded with a zero byte.
func sum(p []byte) uint64 {
	var n uint64
	for ; len(p) >= 4; p = p[4:] {
		n += uint64(binary.BigEndian.Uint32(p))
	}
	if len(p) >= 2 {
		n += uint64(binary.BigEndian.Uint16(p))
		p = p[2:]
	}
	if len(p) == 1 {
		n += uint64(p[0]) << 8
	}
	return n
}

// fold brings a sum down to 16 bits with the carries added.
//
// Source: RFC 1071.
func fold(n uint64) uint16 {
	for n > 0xffff {
		n = n>>16 + n&0xffff
	}
	return uint16(n)
}
