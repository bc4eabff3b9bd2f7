package tls

import (
	"bytes"
	stdtls "crypto/tls"
	"encoding/hex"
	"flag"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "record testdata again")

// fixtures are recorded connections: key log lines, and the pieces of the client (>) and the server (<) in hex.
var fixtures = map[string]func(*peers){
	"tls13": func(*peers) {},
	"tls12gcm": func(p *peers) {
		p.client.MaxVersion = stdtls.VersionTLS12
		p.client.CipherSuites = []uint16{stdtls.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256}
	},
	"tls12cbc": func(p *peers) {
		p.client.MaxVersion = stdtls.VersionTLS12
		p.client.CipherSuites = []uint16{stdtls.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA}
	},
	"tls10": func(p *peers) {
		p.client.MinVersion, p.client.MaxVersion = stdtls.VersionTLS10, stdtls.VersionTLS10
		p.server.MinVersion = stdtls.VersionTLS10
	},
}

func loadFixture(t testing.TB, name string) *recording {
	file := "testdata/" + name + ".txt"
	if *update {
		p := &peers{messages: [][]byte{[]byte("a question"), []byte("another"), []byte("the last")}}
		p.server.Certificates = certificates()[1:]
		fixtures[name](p)
		r := p.run(t)
		text := append([]byte{}, r.keys...)
		for _, p := range r.pieces {
			text = fmt.Appendf(text, "%s %x\n", map[bool]string{true: ">", false: "<"}[p.fromClient], p.data)
		}
		if err := os.WriteFile(file, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	r := &recording{}
	for line := range bytes.Lines(text) {
		side, data, _ := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if len(side) > 1 {
			r.keys = append(r.keys, line...)
			continue
		}
		raw, err := hex.DecodeString(string(data))
		if err != nil {
			t.Fatal(err)
		}
		r.pieces = append(r.pieces, piece{side[0] == '>', raw})
	}
	s, _ := r.read(t, keyLog(t, r.keys))
	r.client, r.server = s.plain[true], s.plain[false]
	return r
}

func TestFixtures(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		r := loadFixture(t, name)
		if got, want := string(r.client), "a questionanotherthe last"; got != want {
			t.Errorf("%s: client %q", name, got)
		}
		if got, want := string(r.server), "a questiona questionanotheranotherthe lastthe last"; got != want {
			t.Errorf("%s: server %q", name, got)
		}
	}
}

// TestEveryCut cuts each recorded connection in two at every byte.
func TestEveryCut(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		r := loadFixture(t, name)
		keys := keyLog(t, r.keys)
		whole, _ := r.read(t, keys)
		for i, p := range r.pieces {
			for cut := 1; cut < len(p.data); cut++ {
				s := newSeen(t)
				c := New(keys, s)
				for j, q := range r.pieces {
					if i == j {
						c.Write(q.fromClient, q.data[:cut])
						q.data = q.data[cut:]
					}
					c.Write(q.fromClient, q.data)
				}
				c.Close()
				if !reflect.DeepEqual(s.spans, whole.spans) || !reflect.DeepEqual(s.plain, whole.plain) || s.why != nil {
					t.Fatalf("%s: piece %d cut at %d: other results", name, i, cut)
				}
			}
		}
	}
}

// FuzzDamage damages a recorded connection and requires that no byte comes out that was not sent: every run of
// plaintext is one the peers sent.
func FuzzDamage(f *testing.F) {
	names := []string{"tls13", "tls12gcm", "tls12cbc", "tls10"}
	var all []*recording
	var sent []*seen
	for _, name := range names {
		r := loadFixture(f, name)
		s, _ := r.read(f, keyLog(f, r.keys))
		all, sent = append(all, r), append(sent, s)
	}
	f.Add(uint8(0), []byte{0, 0, 0})
	f.Add(uint8(0), []byte{5, 1, 7, 3, 2, 9, 4, 100, 3})
	f.Add(uint8(1), []byte{2, 3, 1, 7, 4, 0})
	f.Add(uint8(2), []byte{9, 2, 30, 4, 1, 2, 3, 4})
	f.Add(uint8(3), []byte{6, 0, 6, 0, 7, 1, 5, 2, 5})
	f.Fuzz(func(t *testing.T, which uint8, script []byte) {
		r, truth := all[int(which)%len(all)], sent[int(which)%len(all)]
		s := newSeen(t)
		c := New(keyLog(t, r.keys), s)
		next := func() int {
			if len(script) == 0 {
				return 0
			}
			b := script[0]
			script = script[1:]
			return int(b)
		}
		for _, p := range r.pieces {
			data := bytes.Clone(p.data)
			for len(data) > 0 {
				op, n := next(), min(1+next()*4, len(data))
				switch op % 6 {
				case 0, 1:
					c.Write(p.fromClient, data[:n])
				case 2:
					c.Missing(p.fromClient, int64(n))
				case 3:
					data[n-1] ^= byte(1 + op)
					c.Write(p.fromClient, data[:n])
				case 4:
					c.Write(p.fromClient, data[:n])
					c.Write(p.fromClient, data[:n])
				case 5:
					c.Write(!p.fromClient, data[:n])
				}
				data = data[n:]
			}
		}
		c.Close()
		for _, fromClient := range []bool{true, false} {
			var at int64
			for _, span := range s.spans[fromClient] {
				run := s.plain[fromClient][at : at+span.plain]
				at += span.plain
				if !wasSent(truth, run) {
					t.Errorf("%q was never sent", run)
				}
			}
		}
	})
}

func wasSent(truth *seen, run []byte) bool {
	for _, fromClient := range []bool{true, false} {
		var at int64
		for _, span := range truth.spans[fromClient] {
			if bytes.Equal(truth.plain[fromClient][at:at+span.plain], run) {
				return true
			}
			at += span.plain
		}
	}
	return false
}

// FuzzConn feeds anything, in the pieces a script says and byte by byte, and requires the same results.
func FuzzConn(f *testing.F) {
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		r := loadFixture(f, name)
		text = append(text, r.keys...)
		var in []byte
		for _, p := range r.pieces {
			for d := p.data; len(d) > 0; {
				n := min(len(d), 1<<13-1)
				head := n << 2
				if p.fromClient {
					head |= 1
				}
				in = append(in, byte(head>>8), byte(head))
				in = append(in, d[:n]...)
				d = d[n:]
			}
		}
		f.Add(in)
	}
	f.Add([]byte("\x00\x17\x16\x03\x01\x00\x05\x01\x00"))
	f.Fuzz(func(t *testing.T, in []byte) {
		whole, bytewise := newSeen(t), newSeen(t)
		a, b := New(keyLog(t, text), whole), New(keyLog(t, text), bytewise)
		var fed [2]int64
		for len(in) > 2 {
			head := int(in[0])<<8 | int(in[1])
			fromClient, hole, n := head&1 == 1, head&2 == 2, head>>2
			in = in[2:]
			side := head & 1
			if hole {
				a.Missing(fromClient, int64(n))
				b.Missing(fromClient, int64(n))
				fed[side] += int64(n)
				continue
			}
			n = min(n, len(in))
			a.Write(fromClient, in[:n])
			for i := range n {
				b.Write(fromClient, in[i:i+1])
			}
			in = in[n:]
			fed[side] += int64(n)
		}
		a.Close()
		b.Close()
		whole.t, bytewise.t = nil, nil
		if !reflect.DeepEqual(whole, bytewise) {
			t.Errorf("whole %+v\nbytes %+v", whole, bytewise)
		}
		for side, want := range fed {
			start, n := a.Unfinished(side == 1)
			if start+int64(n) != want || n > maxHeld+maxPayload {
				t.Errorf("side %d: unfinished at %d, %d bytes, of %d", side, start, n, want)
			}
		}
	})
}

// FuzzHello parses handshake messages.
func FuzzHello(f *testing.F) {
	for _, name := range slices.Sorted(maps.Keys(fixtures)) {
		r := loadFixture(f, name)
		for _, fromClient := range []bool{true, false} {
			f.Add(r.wire(fromClient)[headerLen:])
		}
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var whole, bytewise messages
		var a, b strings.Builder
		take := func(m *messages, p []byte, out *strings.Builder) {
			for {
				kind, body, rest, ok := m.next(p)
				if !ok {
					return
				}
				fmt.Fprintf(out, "%d %x\n", kind, body)
				parseClientHello(body)
				parseServerHello(body)
				parseEncryptedExtensions(body)
				parseTicket(body)
				p = rest
			}
		}
		take(&whole, in, &a)
		for i := range in {
			take(&bytewise, in[i:i+1], &b)
		}
		if a.String() != b.String() {
			t.Errorf("whole:\n%s\nbytes:\n%s", a.String(), b.String())
		}
		if cap(whole.buf) > 4*maxMessage {
			t.Errorf("%d bytes held", cap(whole.buf))
		}
	})
}
