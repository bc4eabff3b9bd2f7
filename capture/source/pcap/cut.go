package pcap

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"net"
	"net/netip"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
)

// Cut says which packets of an input CutOut copies, and what of them.
type Cut struct {
	Client, Server netip.AddrPort // the connection
	First, Last    int64          // packet numbers, both included
	Comment        func(packet int64) string
	// KeepAddresses keeps IP addresses and ports, else documentation addresses stand for them (RFC 5737, RFC 3849).
	KeepAddresses bool
	// KeepPayload keeps what TCP carried, else packets are cut off behind the TCP header; their lengths stay.
	KeepPayload bool
}

// CutOut copies packets of one connection from in to w as pcapng, in the order of the file, and returns how many.
//
// With both addresses and payload kept they are copied as they are; else each becomes an IP packet with the TCP header
// it had, and what was around it (MAC addresses, VLANs, tunnels) is gone. Times are kept to the nanosecond.
//
// What a damaged input yields before its damage is copied. Errors are those of Read, and the writer's.
func CutOut(ctx context.Context, in Input, w io.Writer, c Cut) (int, error) {
	r, err := open(ctx, in, nil, nil)
	if err != nil {
		return 0, err
	}
	defer r.close()
	out := &cutter{w: bufio.NewWriter(w), cut: c, links: map[uint16]uint32{}}
	out.block(blockSection, binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, byteOrderMagic), 1), math.MaxUint64))
	for out.err == nil {
		err := r.next(&out.r)
		var d *damage
		if err == io.EOF || errors.As(err, &d) || out.r.number > c.Last {
			break
		}
		if err != nil {
			return out.n, err
		}
		out.packet()
	}
	if err := ctx.Err(); err != nil {
		return out.n, err
	}
	if out.err == nil {
		out.err = out.w.Flush()
	}
	return out.n, out.err
}

// cutter writes what CutOut copies. Its error is sticky.
type cutter struct {
	w     *bufio.Writer
	cut   Cut
	r     record
	d     decoder
	links map[uint16]uint32 // link type → interface
	n     int
	err   error
}

// block writes a pcapng block.
func (o *cutter) block(kind uint32, body []byte) {
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	size := uint32(len(body) + 12)
	b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, kind), size)
	b = binary.LittleEndian.AppendUint32(append(b, body...), size)
	if o.err == nil {
		_, o.err = o.w.Write(b)
	}
}

// iface returns the interface for a link type, and describes it the first time.
func (o *cutter) iface(link uint16) uint32 {
	id, ok := o.links[link]
	if !ok {
		id = uint32(len(o.links))
		o.links[link] = id
		b := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint16(nil, link), 0)
		b = binary.LittleEndian.AppendUint32(b[:4:4], 0)
		o.block(blockInterface, option(option(b, ifTSResol, []byte{9}), optionEnd, nil))
	}
	return id
}

// option appends a pcapng option.
func option(b []byte, code uint16, value []byte) []byte {
	b = binary.LittleEndian.AppendUint16(binary.LittleEndian.AppendUint16(b, code), uint16(len(value)))
	b = append(b, value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// packet copies the packet in o.r, if it is one of those.
func (o *cutter) packet() {
	r, c := &o.r, &o.cut
	if r.number < c.First {
		return // a fragment before it is lost; the ones from First on are enough
	}
	if o.d.decode(r, 0) != isTCP {
		return
	}
	s := &o.d.seg
	from, to := s.flow[s.from].addrPort(), s.flow[s.from^1].addrPort()
	if !(from == c.Client && to == c.Server || from == c.Server && to == c.Client) {
		return
	}
	link, data, length := r.link, r.data, r.length
	if !c.KeepAddresses || !c.KeepPayload {
		var err error
		if data, length, err = o.rebuilt(from, to); err != nil {
			o.err = err
			return
		}
		link = linkRaw
	}
	o.write(link, data, length)
}

func (o *cutter) write(link uint16, data []byte, length int) {
	id, at := o.iface(link), uint64(o.r.at)
	b := make([]byte, 0, len(data)+64)
	for _, v := range []uint32{id, uint32(at >> 32), uint32(at), uint32(len(data)), uint32(length)} {
		b = binary.LittleEndian.AppendUint32(b, v)
	}
	b = append(b, data...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	if o.cut.Comment != nil {
		if text := o.cut.Comment(o.r.number); text != "" {
			b = option(option(b, 1, []byte(text[:min(len(text), 4000)])), optionEnd, nil)
		}
	}
	o.block(blockPacket, b)
	o.n++
}

// documentation addresses that stand for the client and the server.
var (
	client4, server4 = net.IPv4(192, 0, 2, 1), net.IPv4(192, 0, 2, 2)
	client6, server6 = net.ParseIP("2001:db8::1"), net.ParseIP("2001:db8::2")
)

// rebuilt returns the segment as an IP packet of its own, and the length that it had as one.
func (o *cutter) rebuilt(from, to netip.AddrPort) ([]byte, int, error) {
	s := &o.d.seg
	src, dst := net.IP(from.Addr().AsSlice()), net.IP(to.Addr().AsSlice())
	tcp := &layers.TCP{Seq: s.seq, Ack: s.ack, Window: s.window, SrcPort: layers.TCPPort(from.Port()), DstPort: layers.TCPPort(to.Port()),
		FIN: s.has(flagFIN), SYN: s.has(flagSYN), RST: s.has(flagRST), PSH: s.has(flagPSH), ACK: s.has(flagACK)}
	if !o.cut.KeepAddresses {
		src, dst = disguised(from == o.cut.Client, from.Addr().Is4())
		tcp.SrcPort, tcp.DstPort = disguisedPort(from == o.cut.Client), disguisedPort(from != o.cut.Client)
	}
	options := append([]byte(nil), s.options...)
	for len(options)%4 != 0 {
		options = append(options, 0)
	}
	tcp.DataOffset = uint8(5 + len(options)/4)
	payload := s.payload
	if !o.cut.KeepPayload {
		payload = nil
	}
	b := gopacket.NewSerializeBuffer()
	whole := append(options, payload...)
	if err := tcp.SerializeTo(b, gopacket.SerializeOptions{}); err != nil {
		return nil, 0, err
	}
	segment := append(append([]byte(nil), b.Bytes()...), whole...)
	segment[12] = tcp.DataOffset << 4
	return ipPacket(src, dst, s, segment, 20+len(options)+s.length)
}

func disguised(client, v4 bool) (src, dst net.IP) {
	src, dst = client4, server4
	if !v4 {
		src, dst = client6, server6
	}
	if !client {
		src, dst = dst, src
	}
	return src, dst
}

// disguisedPort returns a port for the client or the server.
func disguisedPort(client bool) layers.TCPPort {
	if client {
		return 49152
	}
	return 80
}

// ipPacket puts an IP header in front of a TCP segment that had length bytes.
func ipPacket(src, dst net.IP, s *segment, segment []byte, length int) ([]byte, int, error) {
	b := gopacket.NewSerializeBuffer()
	fix := gopacket.SerializeOptions{ComputeChecksums: true}
	if v4 := src.To4(); v4 != nil {
		ip := &layers.IPv4{Version: 4, IHL: 5, TTL: s.ttl, Id: s.ipID, Protocol: layers.IPProtocolTCP, SrcIP: v4, DstIP: dst.To4(), Length: uint16(min(20+length, math.MaxUint16))}
		err := gopacket.SerializeLayers(b, fix, ip, gopacket.Payload(segment))
		return b.Bytes(), max(20+length, len(b.Bytes())), err
	}
	ip := &layers.IPv6{Version: 6, HopLimit: s.ttl, NextHeader: layers.IPProtocolTCP, SrcIP: src, DstIP: dst, Length: uint16(min(length, math.MaxUint16))}
	err := gopacket.SerializeLayers(b, fix, ip, gopacket.Payload(segment))
	return b.Bytes(), max(40+length, len(b.Bytes())), err
}
