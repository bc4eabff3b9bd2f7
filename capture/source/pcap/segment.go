package pcap

import (
	"bytes"
	"net/netip"

	"mcptrace/capture"
)

// TCP flags.
const (
	flagFIN = 1 << 0
	flagSYN = 1 << 1
	flagRST = 1 << 2
	flagPSH = 1 << 3
	flagACK = 1 << 4
)

// endpoint is an address and port; IPv4 addresses are mapped into IPv6.
type endpoint struct {
	addr [16]byte
	port uint16
}

func (e endpoint) addrPort() netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom16(e.addr).Unmap(), e.port)
}

func (e *endpoint) compare(f *endpoint) int {
	if c := bytes.Compare(e.addr[:], f.addr[:]); c != 0 {
		return c
	}
	return int(e.port) - int(f.port)
}

// flow is the two ends of a connection, the lesser first, so that both directions share it.
type flow [2]endpoint

// segment is one TCP segment and what its packet says of it. Slices are lent like the packet they point into.
type segment struct {
	at      capture.Instant
	packet  int64
	input   int
	flow    flow
	from    uint8 // index into flow of the sender
	ttl     uint8 // or hop limit
	flags   uint8
	ipID    uint16 // IPv4; 0 where there is none
	window  uint16 // unscaled
	seq     uint32
	ack     uint32
	options []byte
	payload []byte // as far as captured
	length  int    // payload bytes on the wire, at least len(payload)
}

func (s *segment) has(flags uint8) bool { return s.flags&flags != 0 }

func (s *segment) stamp() capture.Stamp {
	return capture.Stamp{Seen: s.at, At: s.at, Packet: s.packet}
}

// setFlow orders the two ends.
func (s *segment) setFlow(src, dst *endpoint) {
	if src.compare(dst) <= 0 {
		s.flow[0], s.flow[1], s.from = *src, *dst, 0
	} else {
		s.flow[0], s.flow[1], s.from = *dst, *src, 1
	}
}

// windowScale returns the shift count of the window scale option of a SYN, or -1.
//
// Source: RFC 7323 section 2.
func (s *segment) windowScale() int {
	for o := s.options; len(o) > 0; {
		switch o[0] {
		case 0:
			return -1
		case 1:
			o = o[1:]
			continue
		}
		if len(o) < 2 || o[1] < 2 || int(o[1]) > len(o) {
			return -1
		}
		if o[0] == 3 && o[1] == 3 {
			return min(int(o[2]), 14)
		}
		o = o[o[1]:]
	}
	return -1
}
