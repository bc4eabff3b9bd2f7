package tls

import (
	"bytes"
	"encoding/binary"
	"testing"
)

// held is how much memory a Conn keeps for what is unfinished.
func held(c *Conn) int {
	n := len(buffer{}) // room, while a record is dealt with
	for _, d := range []*direction{&c.client, &c.server} {
		n += cap(d.buf) + cap(d.handshake.buf)
	}
	return n
}

func record(kind byte, payload []byte) []byte {
	b := binary.BigEndian.AppendUint16([]byte{kind, 3, 3}, uint16(len(payload)))
	return append(b, payload...)
}

func TestLimits(t *testing.T) {
	hello := append([]byte{msgServerHello, 0xff, 0xff, 0xff}, bytes.Repeat([]byte{7}, 16000)...)
	for name, unit := range map[string][]byte{
		"application data before any hello": record(typeApplication, make([]byte, 16000)),
		"a handshake message without end":   record(typeHandshake, hello),
		"small messages":                    record(typeHandshake, bytes.Repeat([]byte{msgFinished, 0, 0, 0}, 4000)),
		"empty records":                     record(typeHandshake, nil),
		"no records":                        bytes.Repeat([]byte{0}, 5000),
		"headers everywhere":                bytes.Repeat([]byte{23, 3, 3, 40, 9}, 1000),
		"alerts":                            record(typeAlert, []byte{1, 0}),
		"change cipher spec":                record(typeChangeCipherSpec, []byte{1}),
	} {
		for _, fromClient := range []bool{true, false} {
			s := newSeen(t)
			c := New(nil, s)
			for range 1 << 24 / (1 << 10) / max(1, len(unit)>>10) {
				c.Write(fromClient, unit)
				if n := held(c); n > 1<<18 {
					t.Fatalf("%s, client %v: holds %d bytes", name, fromClient, n)
				}
			}
			c.Close()
			if len(s.why) > 1 || s.plain[fromClient] != nil {
				t.Errorf("%s: %q", name, s.why)
			}
		}
	}
}

// A server that waits for a client's hello too long is given up, and so told.
func TestHeldTooLong(t *testing.T) {
	r := loadFixture(t, "tls13")
	s := newSeen(t)
	c := New(keyLog(t, r.keys), s)
	c.Write(false, r.wire(false))
	if len(s.plain) > 0 || s.why != nil {
		t.Fatalf("before the ClientHello: opaque %q", s.why)
	}
	for range 5 {
		c.Write(false, record(typeApplication, make([]byte, 1<<14)))
	}
	if len(s.why) != 1 || s.why[0] != "no ClientHello in the capture" {
		t.Errorf("opaque %q", s.why)
	}
}

func TestUnfinished(t *testing.T) {
	r := loadFixture(t, "tls13")
	wire := r.wire(false)
	at := records(wire)
	last := at[len(at)-2]
	for cut := last; cut < int64(len(wire)); cut++ {
		s := newSeen(t)
		c := New(keyLog(t, r.keys), s)
		c.Write(true, r.wire(true))
		c.Write(false, wire[:cut])
		c.Close()
		c.Close() // changes nothing
		if start, n := c.Unfinished(false); start != last || int64(n) != cut-last {
			t.Errorf("cut at %d: unfinished %d, %d", cut, start, n)
		}
		if len(s.lost) > 0 || s.why != nil {
			t.Errorf("cut at %d: lost %v, opaque %q", cut, s.lost, s.why)
		}
	}
}
