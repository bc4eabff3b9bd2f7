package pcap

import (
	"encoding/binary"

	"github.com/google/gopacket/layers"
)

// IP protocol numbers.
const (
	protoHopByHop = 0
	protoIPIP     = 4
	protoTCP      = 6
	protoUDP      = 17
	protoIPv6     = 41
	protoRouting  = 43
	protoFragment = 44
	protoGRE      = 47
	protoAH       = 51
	protoDest     = 60
)

const (
	maxDepth      = 4  // IP headers inside IP headers
	maxExtensions = 16 // IPv6 extension headers
)

// ends are the addresses of a packet as the transport layer will use them.
type ends struct{ src, dst endpoint }

// ip reads an IP packet of either version. p is what was captured of wire bytes; depth counts the IP headers around it.
func (d *decoder) ip(p []byte, wire, depth int) verdict {
	if len(p) == 0 || depth > maxDepth {
		return undecodable
	}
	switch p[0] >> 4 {
	case 4:
		return d.ip4(p, wire, depth)
	case 6:
		return d.ip6(p, wire, depth)
	}
	return undecodable
}

// ip4 reads an IPv4 packet. A total length of 0 is that of a segment the network card was to cut up (TSO).
//
// Source: RFC 791 section 3.1.
func (d *decoder) ip4(p []byte, wire, depth int) verdict {
	if len(p) < 20 {
		return undecodable
	}
	header, total := int(p[0]&15)*4, int(binary.BigEndian.Uint16(p[2:]))
	if total == 0 {
		total = wire
	}
	if header < 20 || total < header || len(p) < header {
		return undecodable
	}
	total = min(total, wire) // the rest is padding, or a lie
	if binary.BigEndian.Uint16(p[6:])&0x3fff != 0 {
		return d.defragment(p[:min(len(p), total)], depth)
	}
	var e ends
	mapIPv4(&e.src.addr, p[12:16])
	mapIPv4(&e.dst.addr, p[16:20])
	d.seg.ttl, d.seg.ipID = p[8], binary.BigEndian.Uint16(p[4:])
	return d.transport(p[9], &e, p[header:min(len(p), total)], total-header, depth)
}

func mapIPv4(a *[16]byte, p []byte) {
	a[10], a[11] = 0xff, 0xff
	copy(a[12:], p)
}

// ip6 reads an IPv6 packet through its extension headers. A payload length of 0 is that of a jumbogram or TSO.
//
// Source: RFC 8200 sections 3 and 4, RFC 2675.
func (d *decoder) ip6(p []byte, wire, depth int) verdict {
	if len(p) < 40 {
		return undecodable
	}
	length := int(binary.BigEndian.Uint16(p[4:]))
	if length == 0 {
		length = wire - 40
	}
	if length = min(length, wire-40); length < 0 {
		return undecodable
	}
	var e ends
	copy(e.src.addr[:], p[8:24])
	copy(e.dst.addr[:], p[24:40])
	d.seg.ttl, d.seg.ipID = p[7], 0
	next, body := p[6], p[40:min(len(p), 40+length)]
	for range maxExtensions {
		size := 0
		switch next {
		case protoHopByHop, protoRouting, protoDest, protoAH, protoFragment:
			if len(body) < 8 {
				return undecodable
			}
		default:
			return d.transport(next, &e, body, length, depth)
		}
		switch next {
		case protoFragment:
			if binary.BigEndian.Uint16(body[2:])&0xfff9 != 0 {
				return undecodable // gopacket has no reassembler for these either
			}
			size = 8
		case protoAH:
			size = (int(body[1]) + 2) * 4
		default:
			size = (int(body[1]) + 1) * 8
		}
		if size > len(body) {
			return undecodable
		}
		next, body, length = body[0], body[size:], length-size
	}
	return undecodable
}

// transport reads what an IP header carries.
func (d *decoder) transport(proto uint8, e *ends, p []byte, wire, depth int) verdict {
	switch proto {
	case protoTCP:
		return d.tcp(e, p, wire)
	case protoUDP:
		return d.udp(p, wire, depth)
	case protoIPIP, protoIPv6:
		return d.ip(p, wire, depth+1)
	case protoGRE:
		return d.byGopacket(p, wire, layers.LayerTypeGRE, depth)
	}
	return isOther
}

// tcp reads a TCP header. Options are looked at only in a SYN, so a wrong one costs nothing.
//
// Source: RFC 9293 section 3.1.
func (d *decoder) tcp(e *ends, p []byte, wire int) verdict {
	if len(p) < 20 {
		return undecodable
	}
	header := int(p[12]>>4) * 4
	if header < 20 || header > wire {
		return undecodable
	}
	s := &d.seg
	e.src.port, e.dst.port = binary.BigEndian.Uint16(p), binary.BigEndian.Uint16(p[2:])
	s.setFlow(&e.src, &e.dst)
	s.seq, s.ack = binary.BigEndian.Uint32(p[4:]), binary.BigEndian.Uint32(p[8:])
	s.flags, s.window = p[13], binary.BigEndian.Uint16(p[14:])
	cut := min(header, len(p))
	s.options, s.payload, s.length = p[20:cut], p[cut:], wire-header
	return isTCP
}

// udp looks for QUIC and for tunnels.
//
// Source: RFC 8999 section 5.1.
func (d *decoder) udp(p []byte, wire, depth int) verdict {
	if len(p) < 8 {
		return undecodable
	}
	src, dst, body := binary.BigEndian.Uint16(p), binary.BigEndian.Uint16(p[2:]), p[8:]
	if (src == 443 || dst == 443) && len(body) >= 5 && body[0]&0xc0 == 0xc0 && binary.BigEndian.Uint32(body[1:]) != 0 {
		return isQUIC
	}
	if tunnel := udpDecoder(dst); tunnel != nil {
		return d.byGopacket(body, wire-8, tunnel, depth)
	}
	return isOther
}
