package pcap

import (
	"strings"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/ip4defrag"
	"github.com/google/gopacket/layers"
)

// maxTunnel bounds the bytes gopacket looks at: it recurses once for each header.
const maxTunnel = 128 << 10

// byGopacket has gopacket look for IP in p, which begins with a header that first reads, and goes on with the innermost
// IP packet it finds. p is what was captured of wire bytes.
func (d *decoder) byGopacket(p []byte, wire int, first gopacket.Decoder, depth int) verdict {
	if first == nil {
		return unknownLink
	}
	if len(p) == 0 || depth > maxDepth {
		return undecodable
	}
	// Not lazy: a packet without IP is to tell why. gopacket turns a decoder's panic into an error layer.
	packet := gopacket.NewPacket(p[:min(len(p), maxTunnel)], first, gopacket.NoCopy)
	at := -1
	for _, l := range packet.Layers() {
		if t := l.LayerType(); t == layers.LayerTypeIPv4 || t == layers.LayerTypeIPv6 {
			// Layers are pieces of p: what is behind one in memory tells where it begins.
			at = cap(p) - cap(l.LayerContents())
		}
	}
	if at > 0 && at < len(p) {
		return d.ip(p[at:], wire-at, depth+1)
	}
	if e := packet.ErrorLayer(); e != nil && !strings.HasPrefix(e.Error().Error(), "Unable to decode") {
		return undecodable // but for what gopacket merely does not know
	}
	return isOther
}

// linkDecoder returns gopacket's decoder of a link type, or nil. gopacket's own table is 8 bits wide.
func linkDecoder(link uint16) gopacket.Decoder {
	switch l := layers.LinkType(link); {
	case link > 0xff:
		return nil
	case l == layers.LinkTypePPP, l == layers.LinkTypeFDDI, l == layers.LinkTypePFLog,
		l == layers.LinkTypeIEEE802_11, l == layers.LinkTypeIEEE80211Radio, l == layers.LinkTypePrismHeader:
		return l
	}
	return nil
}

func etherDecoder(kind uint16) gopacket.Decoder { return layers.EthernetType(kind) }

// udpDecoder returns gopacket's decoder of what is tunnelled through a UDP port, or nil.
func udpDecoder(port uint16) gopacket.Decoder {
	switch port {
	case 4789, 8472: // the registered port, and Linux's older one
		return layers.LayerTypeVXLAN
	case 6081:
		return layers.LayerTypeGeneve
	case 2152:
		return layers.LayerTypeGTPv1U
	}
	return nil
}

const (
	fragmentAge   = 30 * time.Second // capture time an incomplete packet is kept
	fragmentLimit = 4096             // fragments kept; with more, all incomplete packets are dropped
	fragmentSweep = 64               // fragments between two looks at the age of all
)

// fragments puts IPv4 fragments together as far as gopacket's defragmenter can: not those that overlap or carry IP
// options.
type fragments struct {
	d     *ip4defrag.IPv4Defragmenter
	taken int
}

// add takes one fragment. It returns the whole packet once there is one.
func (f *fragments) add(in *layers.IPv4, at time.Time) (*layers.IPv4, error) {
	if f.d == nil || f.taken >= fragmentLimit {
		f.d, f.taken = ip4defrag.NewIPv4Defragmenter(), 0
	}
	if f.taken++; f.taken%fragmentSweep == 0 {
		f.d.DiscardOlderThan(at.Add(-fragmentAge))
	}
	in.Flags &^= layers.IPv4DontFragment // the defragmenter would take it for a whole packet
	return f.d.DefragIPv4WithTimestamp(in, at)
}

// defragment takes one fragment, and reads the segment once it is whole.
func (d *decoder) defragment(p []byte, depth int) verdict {
	if p[9] != protoTCP {
		return isOther
	}
	var in layers.IPv4
	own := append([]byte(nil), p...) // kept until the last fragment comes
	if err := in.DecodeFromBytes(own, gopacket.NilDecodeFeedback); err != nil {
		return undecodable
	}
	whole, err := d.fragments.add(&in, d.seg.at.Time())
	if err != nil {
		return undecodable
	}
	if whole == nil {
		return isFragment
	}
	var e ends
	mapIPv4(&e.src.addr, whole.SrcIP)
	mapIPv4(&e.dst.addr, whole.DstIP)
	d.seg.ttl, d.seg.ipID = whole.TTL, whole.Id
	return d.transport(protoTCP, &e, whole.Payload, len(whole.Payload), depth)
}
