package capturetest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"

	"mcptrace/capture"
	. "mcptrace/capture/capturetest"
	"mcptrace/capture/source/pcap"
)

func talks() map[string]*Talk {
	ask := Post("/mcp", Call("1", "tools/call", `{"name":"pay"}`))
	return map[string]*Talk{
		"clean":        NewTalk(40001).Ask(ask).Wait(time.Millisecond).Answer(JSON(Text("1", "paid"))).End(capture.Client, capture.FIN).End(capture.Server, capture.FIN),
		"reset":        NewTalk(40002).Ask(ask).Answer(Stream()+Chunk(Event(Text("1", "paid")))).Wait(time.Second).End(capture.Server, capture.RST),
		"client first": NewTalk(40003).Ask(ask).Answer(Stream()).End(capture.Client, capture.FIN).Answer(Chunk(Event(Text("1", "late")))),
		"large":        NewTalk(40004).Ask(ask).Answer(JSON(Text("1", string(bytes.Repeat([]byte("x"), 10*MSS))))),
		"open":         NewTalk(40005).Ask(ask),
		"two":          NewTalk(40006).Ask(ask).Answer(JSON(Text("1", "a"))).Ask(ask).Answer(Accepted()),
		"silent":       {Client: NewTalk(40007).Client, Server: NewTalk(1).Server, Start: Epoch, Silent: [2]bool{true, false}},
	}
}

// TestBothWays: the file, read by the real source, gives the exchanges that Exchanges gives.
func TestBothWays(t *testing.T) {
	for name, k := range talks() {
		if name == "silent" {
			k.Ask("GET / HTTP/1.1\r\n\r\n").Answer(JSON("{}"))
		}
		var got []*capture.Exchange
		asm := &capture.Assembly{Sink: func(ex *capture.Exchange) { got = append(got, ex) }}
		if _, err := pcap.Read(context.Background(), []pcap.Input{{Path: "x", R: bytes.NewReader(Pcap(k))}}, asm, pcap.Options{}); err != nil {
			t.Fatal(err)
		}
		want := Exchanges(k)
		if len(got) == 0 {
			t.Errorf("%s: no exchange", name)
		}
		if a, b := show(got), show(want); a != b {
			t.Errorf("%s:\nfrom the file: %s\ndirectly:      %s", name, a, b)
		}
	}
}

// show writes all that is known of exchanges.
func show(exs []*capture.Exchange) string {
	var b bytes.Buffer
	for _, ex := range exs {
		c := *ex.Conn
		conn, _ := json.Marshal(c)
		for _, m := range []*capture.Message{&ex.Request, &ex.Response} {
			fmt.Fprintf(&b, "%.300q %d %v %v %v %v %v\n", m.Wire.Bytes(0, m.Wire.Len()), m.HeadEnd, m.Body, m.Holes, m.Acks, m.Complete, m.Cut)
			for _, k := range m.Chunks {
				fmt.Fprintf(&b, "%d %d %v %v\n", k.Off, k.Packet, k.Seen, k.At)
			}
		}
		fmt.Fprintf(&b, "%d %v %+v %s\n", ex.Seq, ex.Start, ex.Ending, conn)
	}
	return b.String()
}

// TestFrame: gopacket reads what AppendFrame writes, checksums included.
func TestFrame(t *testing.T) {
	for n := range 9 {
		s := Segment{Src: netip.MustParseAddrPort("10.1.2.3:40000"), Dst: netip.MustParseAddrPort("10.9.8.7:80"), Seq: 0xfffffff0, Ack: 77, Flags: ACK | PSH,
			ID: 513, TTL: 62, Payload: []byte("odd even?")[:n]}
		frame := s.AppendFrame([]byte("before"))[6:]
		p := gopacket.NewPacket(frame, layers.LinkTypeEthernet, gopacket.Default)
		ip, tcp := p.Layer(layers.LayerTypeIPv4).(*layers.IPv4), p.Layer(layers.LayerTypeTCP).(*layers.TCP)
		if !ip.SrcIP.Equal(s.Src.Addr().AsSlice()) || ip.Id != s.ID || ip.TTL != 62 || tcp.Seq != s.Seq || tcp.Ack != s.Ack || !tcp.ACK || !tcp.PSH || tcp.FIN || tcp.SrcPort != 40000 || string(tcp.Payload) != string(s.Payload) {
			t.Errorf("%d bytes: read back as %v", n, p)
		}
		tcp.SetNetworkLayerForChecksum(ip)
		sum, err := tcp.ComputeChecksum()
		ipSum, tcpSum := ip.Checksum, tcp.Checksum
		buf := gopacket.NewSerializeBuffer()
		err2 := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{ComputeChecksums: true, FixLengths: true}, ip, tcp, gopacket.Payload(s.Payload))
		if err != nil || err2 != nil || sum != 0 && sum != tcpSum || ip.Checksum != ipSum || tcp.Checksum != tcpSum {
			t.Errorf("%d bytes: checksums %x %x, want %x %x; %v %v", n, ipSum, tcpSum, ip.Checksum, tcp.Checksum, err, err2)
		}
	}
}

// Example writes a call whose stream is reset after the answer.
func Example() {
	k := NewTalk(40001).
		Ask(Post("/mcp", Call("1", "tools/call", `{"name":"pay"}`))).
		Wait(50*time.Millisecond).
		Answer(Stream(), Chunk(Event(Text("1", "paid")))).
		Wait(time.Second).
		End(capture.Server, capture.RST)
	ex := Exchanges(k)[0]
	fmt.Println(ex.Ending.Kind, ex.Ending.By, capture.Read(ex).Messages[0].Level)
	// Output: rst server dispatched
}
