package pcap

import "encoding/binary"

// Link types read by hand.
//
// Source: www.tcpdump.org/linktypes.html.
const (
	linkNull     = 0
	linkEthernet = 1
	linkRawBSD   = 12
	linkRawOBSD  = 14
	linkRaw      = 101
	linkLoop     = 108
	linkSLL      = 113
	linkIPv4     = 228
	linkIPv6     = 229
	linkSLL2     = 276
)

// EtherTypes.
const (
	etherIPv4  = 0x0800
	etherIPv6  = 0x86dd
	etherVLAN  = 0x8100
	etherQinQ  = 0x88a8
	etherQinQ1 = 0x9100
	etherQinQ2 = 0x9200
	etherMPLS  = 0x8847
	etherMPLSm = 0x8848
	etherPPPoE = 0x8864
)

// verdict is what became of a packet.
type verdict uint8

const (
	isTCP       verdict = iota // the segment is filled in
	isOther                    // sound as far as looked at, not TCP
	isQUIC                     // a QUIC long header on UDP port 443
	isFragment                 // an IP fragment: waits for the others
	undecodable                // a header is missing, cut or wrong
	unknownLink                // nothing here reads this link type
)

// decoder turns packets into segments.
type decoder struct {
	seg       segment
	fragments fragments
}

// decode reads the headers of r into d.seg.
func (d *decoder) decode(r *record, input int) verdict {
	s := &d.seg
	s.at, s.packet, s.input = r.at, r.number, input
	switch p := r.data; r.link {
	case linkEthernet:
		return d.ethernet(p, r.length)
	case linkSLL:
		return d.cooked(p, r.length, 16, 14)
	case linkSLL2:
		return d.cooked(p, r.length, 20, 0)
	case linkRaw, linkRawBSD, linkRawOBSD, linkIPv4, linkIPv6:
		return d.ip(p, r.length, 0)
	case linkNull, linkLoop:
		return d.loopback(p, r.length)
	}
	return d.byGopacket(r.data, r.length, linkDecoder(r.link), 0)
}

func (d *decoder) ethernet(p []byte, wire int) verdict {
	if len(p) < 14 {
		return undecodable
	}
	return d.network(binary.BigEndian.Uint16(p[12:]), p[14:], wire-14)
}

// cooked reads a Linux cooked header of n bytes with its protocol at byte at.
func (d *decoder) cooked(p []byte, wire, n, at int) verdict {
	if len(p) < n {
		return undecodable
	}
	return d.network(binary.BigEndian.Uint16(p[at:]), p[n:], wire-n)
}

// loopback reads the address family of the BSDs, which is in the order of the machine that captured.
func (d *decoder) loopback(p []byte, wire int) verdict {
	if len(p) < 4 {
		return undecodable
	}
	family := binary.LittleEndian.Uint32(p)
	if family > 0xffff {
		family = binary.BigEndian.Uint32(p)
	}
	switch family {
	case 2, 10, 24, 28, 30: // AF_INET, and AF_INET6 of Linux, NetBSD, FreeBSD, Darwin
		return d.ip(p[4:], wire-4, 0)
	}
	return isOther
}

// network reads what follows an EtherType. p is what was captured of wire bytes.
func (d *decoder) network(kind uint16, p []byte, wire int) verdict {
	for {
		switch kind {
		case etherIPv4, etherIPv6:
			return d.ip(p, wire, 0)
		case etherVLAN, etherQinQ, etherQinQ1, etherQinQ2:
			if len(p) < 4 {
				return undecodable
			}
			kind, p, wire = binary.BigEndian.Uint16(p[2:]), p[4:], wire-4
			continue
		case etherMPLS, etherMPLSm, etherPPPoE:
			return d.byGopacket(p, wire, etherDecoder(kind), 0)
		}
		return isOther
	}
}
