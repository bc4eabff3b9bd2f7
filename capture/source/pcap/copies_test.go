package pcap

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
)

// call is one whole exchange.
func call() []pkt {
	return hello(
		pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "POST /mcp HTTP/1.1\r\n\r\n"},
		pkt{ms: 11, side: 's', flags: "A", seq: 1, ack: 23},
		pkt{ms: 12, side: 's', flags: "PA", seq: 1, ack: 23, data: "HTTP/1.1 200 OK\r\n\r\n"},
		pkt{ms: 13, side: 'c', flags: "A", seq: 23, ack: 20},
		pkt{ms: 14, side: 'c', flags: "FA", seq: 23, ack: 20},
		pkt{ms: 15, side: 's', flags: "FA", seq: 20, ack: 24},
		pkt{ms: 16, side: 'c', flags: "A", seq: 24, ack: 21},
	)
}

const callLog = "client data 22 client acked 22 server data 19 server acked 19 client end 1 server end 1 close"

// logWithoutPackets is the log without packet numbers.
func logWithoutPackets(d *told) string {
	var b strings.Builder
	for i, l := range d.log {
		if i > 0 {
			b.WriteByte(' ')
		}
		l, _, _ = strings.Cut(l, " #")
		b.WriteString(l)
	}
	return b.String()
}

// double repeats every packet d later, changed by f.
func double(in []raw, d time.Duration, f func(p raw) raw) []raw {
	var out []raw
	for _, p := range in {
		c := p
		c.data = bytes.Clone(p.data)
		c.at = p.at.Add(d)
		out = append(out, p, f(c))
	}
	return out
}

// A mirror port shows every packet twice, a router with another TTL and checksum.
func TestMirroredPackets(t *testing.T) {
	in := newTalk().packets(call()...)
	tests := []struct {
		name        string
		after       time.Duration
		change      func(p raw) raw
		dropped     int
		retransmits int
	}{
		{"the same bytes", 3 * time.Microsecond, func(p raw) raw { return p }, len(in), 0},
		{"one hop on", time.Millisecond, func(p raw) raw { p.data[22]--; p.data[24] ^= 0xff; return p }, len(in), 0},
		{"with a VLAN tag", time.Millisecond, func(p raw) raw {
			p.data = append(p.data[:12:12], append([]byte{0x81, 0, 0, 7}, p.data[12:]...)...)
			p.length += 4
			return p
		}, len(in), 0},
		{"retransmissions: another IP identification", 3 * time.Microsecond, func(p raw) raw { p.data[18]++; return p }, 0, 2},
		{"retransmissions: too late", 11 * time.Millisecond, func(p raw) raw { return p }, 0, 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, q := readBytes(t, file(double(in, tt.after, tt.change)...))
			d := r.conns[0]
			if got := logWithoutPackets(d); len(r.conns) != 1 || got != callLog {
				t.Errorf("%d connections: %s", len(r.conns), got)
			}
			if q[0].DuplicatePackets != tt.dropped || int(d.conn.CopiesDropped) != tt.dropped || q[0].RetransmittedSegments != tt.retransmits {
				t.Errorf("%d dropped, %d retransmitted", q[0].DuplicatePackets, q[0].RetransmittedSegments)
			}
		})
	}
}

// Without an IP identification a quick copy is a copy, a later one a retransmission.
func TestMirroredWithoutID(t *testing.T) {
	for after, want := range map[time.Duration]int{30 * time.Microsecond: 0, 5 * time.Millisecond: 2} {
		k := newTalk()
		k.client, k.server = "2001:db8::1", "2001:db8::2"
		r, q := readBytes(t, file(double(k.packets(call()...), after, func(p raw) raw { return p })...))
		if got := logWithoutPackets(r.conns[0]); got != callLog || q[0].RetransmittedSegments != want {
			t.Errorf("after %v: %d retransmitted: %s", after, q[0].RetransmittedSegments, got)
		}
	}
}

// One connection before and after address translation is one connection; so is it when capturing began in its middle.
func TestTranslatedCopy(t *testing.T) {
	for name, from := range map[string]int{"whole": 0, "middle": 3} {
		t.Run(name, func(t *testing.T) {
			outer, inner := newTalk(), newTalk()
			inner.client, inner.clientPort, inner.server, inner.serverPort = "10.0.0.9", 55555, "10.0.0.80", 80
			var in []raw
			for _, p := range call()[from:] {
				a, b := outer.packet(p), inner.packet(p)
				b.at = b.at.Add(20 * time.Microsecond)
				in = append(in, a, b)
			}
			r, q := readBytes(t, file(in...))
			if len(r.conns) != 1 || logWithoutPackets(r.conns[0]) != callLog {
				t.Fatalf("%d connections: %v", len(r.conns), r.conns[0].log)
			}
			c := r.conns[0].conn
			if len(c.AlsoSeenAs) != 1 || int(c.CopiesDropped) != len(in)/2 || q[0].DuplicatePackets != len(in)/2 {
				t.Errorf("%+v", c)
			}
			if name == "whole" && c.AlsoSeenAs[0] != "10.0.0.9:55555 -> 10.0.0.80:80" {
				t.Errorf("%v", c.AlsoSeenAs)
			}
		})
	}
}

// Two connections that only look alike are two: other sequence numbers, other bytes, another time.
func TestNoTranslatedCopy(t *testing.T) {
	for name, change := range map[string]func(k *talk, p *pkt){
		"initial sequence numbers": func(k *talk, p *pkt) { k.clientISN = 99 },
		"bytes":                    func(k *talk, p *pkt) { p.data = strings.Replace(p.data, "POST", "GET ", 1) },
		"time":                     func(k *talk, p *pkt) { p.ms += 300 },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newTalk(), newTalk()
			b.clientPort = 40002
			var in []raw
			for _, p := range call() {
				in = append(in, a.packet(p))
				change(b, &p)
				in = append(in, b.packet(p))
			}
			r, q := readBytes(t, file(in...))
			if len(r.conns) != 2 || q[0].DuplicatePackets != 0 {
				t.Errorf("%d connections, %d dropped", len(r.conns), q[0].DuplicatePackets)
			}
		})
	}
}

// Who is the client, where no handshake tells.
func TestClientOf(t *testing.T) {
	low, high := endpoint{port: 80}, endpoint{port: 50000}
	tests := []struct {
		name    string
		from    uint8 // 0 has port 80
		payload string
		known   []endpoint
		want    uint8
	}{
		{"a request from the low port", 0, "POST /mcp", nil, 0},
		{"a request from the high port", 1, "GET / HTTP/1.1", nil, 1},
		{"an answer from the high port", 1, "HTTP/1.1 200", nil, 0},
		{"HTTP/2", 0, "PRI * HTTP/2.0\r\n", nil, 0},
		{"ClientHello", 0, "\x16\x03\x01\x02\x00\x01\x00", nil, 0},
		{"ServerHello", 1, "\x16\x03\x03\x02\x00\x02\x00", nil, 0},
		{"nothing known", 0, "data: {}", nil, 1},
		{"a known server", 0, "data: {}", []endpoint{high}, 0},
	}
	for _, tt := range tests {
		v := servers{}
		for _, e := range tt.known {
			v.add(e)
		}
		s := &segment{flow: flow{low, high}, from: tt.from, payload: []byte(tt.payload)}
		if got := v.clientOf(s); got != tt.want {
			t.Errorf("%s: %d", tt.name, got)
		}
	}
}

var _ capture.Recorder = (*recorder)(nil)
