package pcap

import (
	"encoding/binary"
	"net"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

func be16(vs ...uint16) []byte {
	var b []byte
	for _, v := range vs {
		b = binary.BigEndian.AppendUint16(b, v)
	}
	return b
}

func join(parts ...[]byte) []byte {
	var b []byte
	for _, p := range parts {
		b = append(b, p...)
	}
	return b
}

// withLayers puts layers in front of p.
func withLayers(p []byte, ls ...gopacket.SerializableLayer) []byte {
	buf := gopacket.NewSerializeBuffer()
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(buf, opts, append(ls, gopacket.Payload(p))...); err != nil {
		panic(err)
	}
	return buf.Bytes()
}

// One segment inside every kind of header.
func TestLinkTypes(t *testing.T) {
	const data = "POST /mcp"
	k4 := newTalk()
	k6 := newTalk()
	k6.client, k6.server = "2001:db8::1", "2001:db8::2"
	request := pkt{side: 'c', flags: "PA", seq: 1, ack: 1, data: data}
	v4, v6 := k4.packet(request).data[14:], k6.packet(request).data[14:]
	mac := make([]byte, 12)
	outer4 := &layers.IPv4{Version: 4, TTL: 64, SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 0, 2}}
	outer := func(p layers.IPProtocol) *layers.IPv4 { o := *outer4; o.Protocol = p; return &o }
	udp := func(port layers.UDPPort) *layers.UDP {
		u := &layers.UDP{SrcPort: 33333, DstPort: port}
		u.SetNetworkLayerForChecksum(outer4)
		return u
	}
	ether := join(mac, be16(etherIPv4), v4)
	extend := func(next uint8, headers ...byte) []byte { // IPv6 extension headers before TCP
		p := join(v6[:40], headers, v6[40:])
		p[6] = next
		binary.BigEndian.PutUint16(p[4:], uint16(len(p)-40))
		return p
	}
	noLength := func(p []byte, at int) []byte { p = join(p); p[at], p[at+1] = 0, 0; return p }
	options := join([]byte{0x46}, v4[1:20], []byte{1, 1, 1, 1}, v4[20:])
	binary.BigEndian.PutUint16(options[2:], uint16(len(options)))
	badTCPOption := join(v4[:32], []byte{0x60}, v4[33:40], []byte{8, 77, 0, 0}, v4[40:])
	binary.BigEndian.PutUint16(badTCPOption[2:], uint16(len(badTCPOption)))
	tests := []struct {
		name string
		link uint16
		data []byte
	}{
		{"Ethernet", linkEthernet, ether},
		{"Ethernet, IPv6", linkEthernet, join(mac, be16(etherIPv6), v6)},
		{"Ethernet, padding", linkEthernet, join(ether, make([]byte, 7))},
		{"VLAN", linkEthernet, join(mac, be16(etherVLAN, 7, etherIPv4), v4)},
		{"QinQ", linkEthernet, join(mac, be16(etherQinQ, 7, etherVLAN, 8, etherIPv6), v6)},
		{"QinQ, older", linkEthernet, join(mac, be16(etherQinQ1, 7, etherVLAN, 8, etherIPv4), v4)},
		{"MPLS", linkEthernet, join(mac, be16(etherMPLS), []byte{0, 1, 0, 64, 0, 2, 1, 64}, v4)},
		{"PPPoE", linkEthernet, join(mac, be16(etherPPPoE), []byte{0x11, 0, 0, 9}, be16(uint16(len(v4)+2), 0x21), v4)},
		{"PPPoE in VLAN", linkEthernet, join(mac, be16(etherVLAN, 7, etherPPPoE), []byte{0x11, 0, 0, 9}, be16(uint16(len(v6)+2), 0x57), v6)},
		{"RAW 12", linkRawBSD, v4}, {"RAW 14", linkRawOBSD, v6}, {"RAW 101", linkRaw, v4}, {"IPV4", linkIPv4, v4}, {"IPV6", linkIPv6, v6},
		{"NULL, little-endian", linkNull, join([]byte{2, 0, 0, 0}, v4)},
		{"NULL, big-endian", linkNull, join([]byte{0, 0, 0, 30}, v6)},
		{"NULL, FreeBSD", linkNull, join([]byte{28, 0, 0, 0}, v6)},
		{"LOOP", linkLoop, join([]byte{0, 0, 0, 24}, v6)},
		{"SLL", linkSLL, join(make([]byte, 14), be16(etherIPv4), v4)},
		{"SLL, VLAN", linkSLL, join(make([]byte, 14), be16(etherVLAN, 7, etherIPv4), v4)},
		{"SLL2", linkSLL2, join(be16(etherIPv6), make([]byte, 18), v6)},
		{"TSO, IPv4", linkRaw, noLength(v4, 2)},
		{"TSO, IPv6", linkRaw, noLength(v6, 4)},
		{"IPv4 options", linkRaw, options},
		{"a wrong TCP option", linkRaw, badTCPOption},
		{"hop-by-hop and destination options", linkRaw, extend(protoHopByHop, protoDest, 0, 1, 4, 0, 0, 0, 0, protoTCP, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"routing header", linkRaw, extend(protoRouting, protoTCP, 0, 0, 0, 0, 0, 0, 0)},
		{"atomic fragment", linkRaw, extend(protoFragment, protoTCP, 0, 0, 0, 1, 2, 3, 4)},
		{"authentication header", linkRaw, extend(protoAH, protoTCP, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)},
		{"IP in IP", linkRaw, withLayers(v4, outer(layers.IPProtocolIPv4))},
		{"IPv6 in IP", linkRaw, withLayers(v6, outer(layers.IPProtocolIPv6))},
		{"GRE", linkRaw, withLayers(v4, outer(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv4})},
		{"VXLAN", linkRaw, withLayers(ether, outer(layers.IPProtocolUDP), udp(4789), &layers.VXLAN{ValidIDFlag: true, VNI: 7})},
		{"VXLAN on Linux's port", linkRaw, withLayers(ether, outer(layers.IPProtocolUDP), udp(8472), &layers.VXLAN{ValidIDFlag: true, VNI: 7})},
		{"Geneve", linkRaw, withLayers(join([]byte{0, 0}, be16(0x6558), []byte{0, 0, 7, 0}, ether), outer(layers.IPProtocolUDP), udp(6081))},
		{"PPP", 9, join([]byte{0xff, 3, 0, 0x21}, v4)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d decoder
			full := record{data: tt.data, length: len(tt.data), link: tt.link, number: 1}
			if v := d.decode(&full, 0); v != isTCP || string(d.seg.payload) != data || d.seg.length != len(data) {
				t.Fatalf("verdict %d: %q of %d bytes", v, d.seg.payload, d.seg.length)
			}
			s := &d.seg
			if src := s.flow[s.from].addrPort().Port(); src != 40001 || s.seq != 1001 || s.flags != flagPSH|flagACK || s.ttl != 64 {
				t.Errorf("%+v", s)
			}
			for n := range len(tt.data) { // cut by the snap length: never a panic, never more than there is
				r := record{data: tt.data[:n:n], length: len(tt.data), link: tt.link}
				if v := d.decode(&r, 0); v == isTCP && (len(s.payload) > len(data) || s.length != len(data) && tt.name != "PPP") {
					t.Errorf("cut at %d: %q of %d bytes", n, s.payload, s.length)
				}
			}
		})
	}
}

// What is not TCP, and what cannot be read.
func TestVerdicts(t *testing.T) {
	v4 := newTalk().packet(pkt{side: 'c', flags: "A", data: "x"}).data[14:]
	change := func(at int, b ...byte) []byte { p := join(v4); copy(p[at:], b); return p }
	ip := func(p layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, TTL: 64, Protocol: p, SrcIP: net.IP{10, 0, 0, 1}, DstIP: net.IP{10, 0, 0, 2}}
	}
	udp := func(port uint16, p ...byte) []byte {
		return withLayers(join(be16(5555, port, uint16(8+len(p)), 0), p), ip(layers.IPProtocolUDP))
	}
	nested := v4
	for range 40 {
		nested = withLayers(nested, ip(layers.IPProtocolIPv4))
	}
	labels := join(make([]byte, 12), be16(etherMPLS), make([]byte, 1<<20)) // no label is the last
	tests := []struct {
		name string
		link uint16
		data []byte
		want verdict
	}{
		{"ARP", linkEthernet, join(make([]byte, 12), be16(0x806), make([]byte, 28)), isOther},
		{"802.3", linkEthernet, join(make([]byte, 12), be16(40), make([]byte, 40)), isOther},
		{"UDP", linkRaw, udp(53, 1, 2, 3), isOther},
		{"QUIC long header", linkRaw, udp(443, 0xc3, 0, 0, 0, 1, 8), isQUIC},
		{"QUIC short header", linkRaw, udp(443, 0x43, 0, 0, 0, 1, 8), isOther},
		{"QUIC version negotiation", linkRaw, udp(443, 0xc3, 0, 0, 0, 0, 8), isOther},
		{"QUIC elsewhere", linkRaw, udp(4433, 0xc3, 0, 0, 0, 1, 8), isOther},
		{"empty", linkEthernet, nil, undecodable},
		{"a header too short", linkRaw, change(0, 0x44), undecodable},
		{"a length too small", linkRaw, change(2, 0, 10), undecodable},
		{"no IP version", linkRaw, change(0, 0x95), undecodable},
		{"a TCP header too short", linkRaw, change(32, 0x40), undecodable},
		{"a TCP header longer than the packet", linkRaw, change(32, 0xf0), undecodable},
		{"IP in IP in IP …", linkRaw, nested, undecodable},
		{"MPLS without end", linkEthernet, labels, isOther},
		{"no such link type", 999, v4, unknownLink},
		{"no such link type, 8 bits", 255, v4, unknownLink},
		{"IPv6 fragment", linkRaw, join([]byte{0x60, 0, 0, 0, 0, 12, protoFragment, 64}, make([]byte, 32), []byte{protoTCP, 0, 0, 1, 0, 0, 0, 0, 1, 2, 3, 4}), undecodable},
	}
	for _, tt := range tests {
		var d decoder
		if got := d.decode(&record{data: tt.data, length: len(tt.data), link: tt.link}, 0); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

// A segment in IPv4 fragments, in any order, is read when it is whole.
func TestFragments(t *testing.T) {
	whole := newTalk().packet(pkt{side: 'c', flags: "PA", seq: 1, ack: 1, data: text(100, 1)}).data[14:]
	var parts [][]byte
	for off := 20; off < len(whole); off += 40 {
		end := min(off+40, len(whole))
		p := join(whole[:20], whole[off:end])
		binary.BigEndian.PutUint16(p[2:], uint16(len(p)))
		field := uint16((off - 20) / 8)
		if end < len(whole) {
			field |= 0x2000
		}
		binary.BigEndian.PutUint16(p[6:], field|0x4000) // some stacks set DF as well
		parts = append(parts, p)
	}
	for _, order := range [][]int{{0, 1, 2}, {2, 1, 0}, {1, 0, 1, 2}} {
		var d decoder
		for i, n := range order {
			want := isFragment
			if i == len(order)-1 {
				want = isTCP
			}
			if got := d.decode(&record{data: parts[n], length: len(parts[n]), link: linkRaw}, 0); got != want {
				t.Errorf("%v: fragment %d: %d, want %d", order, n, got, want)
			}
		}
		if string(d.seg.payload) != text(100, 1) {
			t.Errorf("%v: another payload", order)
		}
	}
}

func TestWindowScale(t *testing.T) {
	for options, want := range map[string]int{
		"": -1, "\x03\x03\x07": 7, "\x01\x01\x03\x03\x0e": 14, "\x03\x03\xff": 14, "\x02\x04\x05\xb4\x03\x03\x00": 0,
		"\x00\x03\x03\x07": -1, "\x03": -1, "\x03\x01\x07": -1, "\x03\x04\x07\x00": -1, "\x08\x00\x03\x03\x07": -1, "\x05\x20": -1,
	} {
		if got := (&segment{options: []byte(options)}).windowScale(); got != want {
			t.Errorf("%q: %d, want %d", options, got, want)
		}
	}
}
