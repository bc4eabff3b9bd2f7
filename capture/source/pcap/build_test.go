package pcap

import (
	"bytes"
	"math/rand"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"mcptrace/capture"
)

var epoch = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// pkt is one TCP segment of a test. Sequence numbers are relative to the initial ones of talk.
type pkt struct {
	ms     float64 // since epoch
	side   byte    // 'c' or 's'
	flags  string  // of "SAFRP"
	seq    int64   // 0 is the SYN, 1 the first byte
	ack    int64
	data   string
	id     uint16 // IP identification, 0: counted
	window uint16 // 0: 64240
	ttl    uint8  // 0: 64
	zero   bool   // window 0
	cut    int    // payload bytes the snap length cuts off
}

// talk is the addresses and initial sequence numbers of one connection, and a way to write its packets.
type talk struct {
	client, server         string
	clientPort, serverPort uint16
	clientISN, serverISN   uint32
	ids                    uint16
	noID                   bool
}

func newTalk() *talk {
	return &talk{client: "192.0.2.10", server: "198.51.100.20", clientPort: 40001, serverPort: 8080, clientISN: 1000, serverISN: 5_000_000, ids: 1}
}

// raw is a packet as a capture holds it.
type raw struct {
	data   []byte
	length int
	at     time.Time
}

// packet returns p with Ethernet, IP and TCP headers.
func (k *talk) packet(p pkt) raw {
	tcp := &layers.TCP{SrcPort: layers.TCPPort(k.clientPort), DstPort: layers.TCPPort(k.serverPort), Window: 64240}
	src, dst := net.ParseIP(k.client), net.ParseIP(k.server)
	seq, ack := k.clientISN, k.serverISN
	if p.side == 's' {
		src, dst, seq, ack = dst, src, ack, seq
		tcp.SrcPort, tcp.DstPort = tcp.DstPort, tcp.SrcPort
	}
	tcp.Seq, tcp.Ack = seq+uint32(p.seq), ack+uint32(p.ack)
	tcp.SYN, tcp.ACK = strings.Contains(p.flags, "S"), strings.Contains(p.flags, "A")
	tcp.FIN, tcp.RST = strings.Contains(p.flags, "F"), strings.Contains(p.flags, "R")
	tcp.PSH = strings.Contains(p.flags, "P")
	if !tcp.ACK {
		tcp.Ack = 0
	}
	if tcp.SYN {
		tcp.Options = []layers.TCPOption{{OptionType: layers.TCPOptionKindWindowScale, OptionLength: 3, OptionData: []byte{7}}}
	}
	if p.window > 0 || p.zero {
		tcp.Window = p.window
	}
	ttl := p.ttl
	if ttl == 0 {
		ttl = 64
	}
	var network gopacket.SerializableLayer
	kind := layers.EthernetTypeIPv4
	if src.To4() != nil {
		ip := &layers.IPv4{Version: 4, TTL: ttl, Protocol: layers.IPProtocolTCP, SrcIP: src, DstIP: dst, Id: p.id}
		if p.id == 0 && !k.noID {
			ip.Id, k.ids = k.ids, k.ids+1
		}
		tcp.SetNetworkLayerForChecksum(ip)
		network = ip
	} else {
		ip := &layers.IPv6{Version: 6, HopLimit: ttl, NextHeader: layers.IPProtocolTCP, SrcIP: src, DstIP: dst}
		tcp.SetNetworkLayerForChecksum(ip)
		network, kind = ip, layers.EthernetTypeIPv6
	}
	eth := &layers.Ethernet{SrcMAC: make(net.HardwareAddr, 6), DstMAC: make(net.HardwareAddr, 6), EthernetType: kind}
	buf := gopacket.NewSerializeBuffer()
	opts := gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}
	if err := gopacket.SerializeLayers(buf, opts, eth, network, tcp, gopacket.Payload(p.data)); err != nil {
		panic(err)
	}
	data := bytes.Clone(buf.Bytes())
	return raw{data: data[:len(data)-p.cut], length: len(data), at: epoch.Add(time.Duration(p.ms * 1e6))}
}

func (k *talk) packets(ps ...pkt) []raw {
	var out []raw
	for _, p := range ps {
		out = append(out, k.packet(p))
	}
	return out
}

// hello is a handshake, 1 ms to the server and 2 ms to the client and back.
func hello(rest ...pkt) []pkt {
	return append([]pkt{
		{ms: 0, side: 'c', flags: "S"},
		{ms: 1, side: 's', flags: "SA", ack: 1},
		{ms: 3, side: 'c', flags: "A", seq: 1, ack: 1},
	}, rest...)
}

// file writes a nanosecond pcap of packets.
func file(packets ...raw) []byte {
	var b bytes.Buffer
	w := pcapgo.NewWriterNanos(&b)
	if err := w.WriteFileHeader(1<<18, layers.LinkTypeEthernet); err != nil {
		panic(err)
	}
	for _, p := range packets {
		ci := gopacket.CaptureInfo{Timestamp: p.at, CaptureLength: len(p.data), Length: p.length}
		if err := w.WritePacket(ci, p.data); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

// readBytes reads one capture from memory.
func readBytes(t testing.TB, file []byte) (*recorder, []capture.Quality) {
	t.Helper()
	r, q := read(t, Options{}, Input{Path: "x.pcap", R: bytes.NewReader(file)})
	return r, q
}

// text returns n bytes that differ from place to place.
func text(n int, seed int64) string {
	b := make([]byte, n)
	rand.New(rand.NewSource(seed)).Read(b)
	return string(b)
}
