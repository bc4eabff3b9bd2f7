package tls

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// records returns where the records of a direction start, and its length.
func records(wire []byte) []int64 {
	var at []int64
	n := 0
	for ; n+headerLen <= len(wire); n += headerLen + payloadLen(wire[n:]) {
		at = append(at, int64(n))
	}
	return append(at, int64(n))
}

// feedWithHole feeds a recording without the bytes [start,end) of one direction.
func (r *recording) feedWithHole(c *Conn, fromClient bool, start, end int64) {
	var at int64
	for _, p := range r.pieces {
		if p.fromClient != fromClient {
			c.Write(p.fromClient, p.data)
			continue
		}
		n := int64(len(p.data))
		from, to := min(max(start-at, 0), n), min(max(end-at, 0), n)
		c.Write(fromClient, p.data[:from])
		c.Missing(fromClient, to-from)
		c.Write(fromClient, p.data[to:])
		at += n
	}
	c.Close()
}

// checkHole reads a recording with a hole and requires every record to be read that the hole does not touch.
func (r *recording) checkHole(t *testing.T, keys *KeyLog, whole *seen, fromClient bool, start, end int64) {
	t.Helper()
	s := newSeen(t)
	r.feedWithHole(New(keys, s), fromClient, start, end)
	var want []byte
	var at, touched int64
	for _, span := range whole.spans[fromClient] {
		if span.end <= start || span.start >= end {
			want = append(want, whole.plain[fromClient][at:at+span.plain]...)
		} else {
			touched += span.plain
		}
		at += span.plain
	}
	if got := s.plain[fromClient]; !bytes.Equal(got, want) {
		t.Errorf("client %v, hole [%d,%d): %d bytes, want %d; lost %v, %q", fromClient, start, end, len(got), len(want), s.lost, s.why)
	}
	if !bytes.Equal(s.plain[!fromClient], whole.plain[!fromClient]) {
		t.Errorf("client %v, hole [%d,%d): the other direction suffers", fromClient, start, end)
	}
	var covered int64
	for _, l := range s.lost[fromClient] {
		if l.plain >= 0 && l.plain != touched {
			t.Errorf("client %v, hole [%d,%d): lost %v, want %d bytes of plaintext", fromClient, start, end, l, touched)
		}
		covered += min(l.end, end) - max(l.start, start)
	}
	if covered != end-start && touched > 0 {
		t.Errorf("client %v, hole [%d,%d): lost %v", fromClient, start, end, s.lost[fromClient])
	}
}

func TestHoles(t *testing.T) {
	for _, name := range []string{
		"TLS 1.3",
		"TLS 1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
		"TLS 1.2 TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
		"TLS 1.2 TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
		"TLS 1.1 TLS_RSA_WITH_AES_128_CBC_SHA",
	} {
		t.Run(name, func(t *testing.T) {
			r := talks()[name].run(t)
			keys := keyLog(t, r.keys)
			whole, _ := r.read(t, keys)
			random := rand.New(rand.NewPCG(3, 4))
			for _, fromClient := range []bool{true, false} {
				at := records(r.wire(fromClient))
				last := at[len(at)-1]
				for i := 1; i+1 < len(at); i++ { // the first record holds the hello
					start, end := at[i], at[i+1]
					r.checkHole(t, keys, whole, fromClient, start, end)
					r.checkHole(t, keys, whole, fromClient, start, start+1)
					r.checkHole(t, keys, whole, fromClient, start+2, start+7)
					r.checkHole(t, keys, whole, fromClient, start+5, end)
					r.checkHole(t, keys, whole, fromClient, start+6, end-1)
					r.checkHole(t, keys, whole, fromClient, end-1, end)
					r.checkHole(t, keys, whole, fromClient, end-1, min(end+1, last))
					r.checkHole(t, keys, whole, fromClient, start, at[min(i+5, len(at)-1)])
					r.checkHole(t, keys, whole, fromClient, start, last)
				}
				for range 200 {
					start := at[1] + random.Int64N(last-at[1])
					r.checkHole(t, keys, whole, fromClient, start, start+1+random.Int64N(last-start))
				}
			}
		})
	}
}

// With TLS 1.0 the first record behind a hole has lost its IV.
func TestHoleTLS10(t *testing.T) {
	r := talks()["TLS 1.0 TLS_RSA_WITH_AES_128_CBC_SHA"].run(t)
	keys := keyLog(t, r.keys)
	whole, _ := r.read(t, keys)
	span := whole.spans[false][3]
	s := newSeen(t)
	r.feedWithHole(New(keys, s), false, span.start+7, span.end)
	if got, want := len(s.spans[false]), len(whole.spans[false])-2; got != want {
		t.Errorf("%d records, want %d", got, want)
	}
}

// A hole that takes a hello, or comes first, leaves no plaintext and a reason.
func TestHoleInHello(t *testing.T) {
	for name, p := range map[string]*peers{"1.3": talks()["TLS 1.3"], "1.2": talks()["TLS 1.2 TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"]} {
		r := p.run(t)
		for fromClient, why := range map[bool]string{true: "no ClientHello in the capture", false: "no ServerHello in the capture"} {
			for end := int64(1); end < 3000; end += 97 {
				s := newSeen(t)
				r.feedWithHole(New(keyLog(t, r.keys), s), fromClient, 0, end)
				if len(s.plain) > 0 || len(s.why) != 1 || s.why[0] != why {
					t.Fatalf("%s: hole [0,%d) client %v: %q", name, end, fromClient, s.why)
				}
			}
		}
	}
}

// A connection whose capture began late is passed over whole.
func TestMidstream(t *testing.T) {
	r := talks()["TLS 1.3"].run(t)
	for from := 1; from < len(r.pieces); from++ {
		late := &recording{pieces: r.pieces[from:]}
		s, _ := late.read(t, keyLog(t, r.keys))
		if len(s.plain) > 0 || len(s.why) != 1 {
			t.Fatalf("from piece %d: opaque %q", from, s.why)
		}
	}
}

// What was lost is told of in full when nothing readable follows.
func TestSearchCoversEverything(t *testing.T) {
	r := talks()["TLS 1.3"].run(t)
	s := newSeen(t)
	c := New(keyLog(t, r.keys), s)
	for _, p := range r.pieces {
		c.Write(p.fromClient, p.data)
	}
	end := int64(len(r.wire(false)))
	c.Missing(false, 100000)
	c.Write(false, bytes.Repeat([]byte{23, 3, 3, 40, 9}, 40000))
	c.Close()
	if got := s.lost[false]; len(got) != 1 || got[0] != (span{end, end + 300000, -1}) {
		t.Errorf("lost %v", got)
	}
}
