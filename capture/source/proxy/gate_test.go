package proxy

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mcptrace/capture/wire/http1"
)

// through plays pieces through a gate as requests does, and returns what would be forwarded, the heads met and the
// status of a refusal.
func through(pieces [][]byte) (out []byte, heads []string, status int) {
	var g gate
	var w []byte
	for _, p := range pieces {
		w = append(w, p...)
		for {
			safe, at, head, err := g.next(w)
			if head != nil {
				heads = append(heads, fmt.Sprintf("%s %s host=%q chunked=%v length=%d at %d", head.method, head.target, head.host, head.chunked, head.length, len(out)+at))
				if safe < len(w) {
					continue
				}
			}
			out = append(out, w[:safe]...)
			if err != nil {
				var r *refusal
				if !errors.As(err, &r) {
					panic(err)
				}
				return out, heads, r.status
			}
			g.shift(safe)
			w = w[safe:]
			break
		}
	}
	return out, heads, 0
}

func whole(s string) [][]byte { return [][]byte{[]byte(s)} }

func each(s string) (out [][]byte) {
	for i := range len(s) {
		out = append(out, []byte(s[i:i+1]))
	}
	return out
}

const (
	get  = "GET /mcp?a=b HTTP/1.1\r\nHost: localhost\r\n\r\n"
	post = "POST /mcp HTTP/1.1\r\nHost: localhost:1\r\nX: \xe9\tb\r\nContent-Length: 4\r\n\r\n{  }"
	chnk = "POST /mcp HTTP/1.1\r\nhost:[::1]\r\nTransfer-Encoding: chunked\r\n\r\n2;a=\"b\"\r\n{ \r\n0A\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n"
)

var gateTests = []struct {
	name, in string
	status   int
	passed   int // bytes forwarded before a refusal; -1: all
}{
	{"get", get, 0, -1},
	{"post", post, 0, -1},
	{"chunked", chnk, 0, -1},
	{"pipelined", get + post + chnk + "\r\n" + get, 0, -1},
	{"http10", "GET / HTTP/1.0\r\n\r\n", 0, -1},
	{"no body", "POST / HTTP/1.1\r\nHost: a\r\n\r\n" + get, 0, -1},
	{"both lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nX", 400, 0},
	{"two lengths", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6\r\nContent-Length: 6\r\n\r\n", 400, 0},
	{"length list", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 6, 6\r\n\r\n", 400, 0},
	{"plus", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: +6\r\n\r\n", 400, 0},
	{"huge length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999999999999999999\r\n\r\n", 400, 0},
	{"no length", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length:\r\n\r\n", 400, 0},
	{"coding unknown", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip, chunked\r\n\r\n", 501, 0},
	{"coding twice", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", 400, 0},
	{"coding in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400, 0},
	{"vertical tab", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \vchunked\r\n\r\n", 400, 0},
	{"space before colon", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding : chunked\r\n\r\n", 400, 0},
	{"folded", "GET / HTTP/1.1\r\nHost: a\r\nX: a\r\n b\r\n\r\n", 400, 0},
	{"no colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400, 0},
	{"nul", "GET / HTTP/1.1\r\nHost: a\r\nX: a\x00b\r\n\r\n", 400, 0},
	{"bare cr", "GET / HTTP/1.1\r\nHost: a\r\nX: a\rb\r\n\r\n", 400, 0},
	{"bare lf", "GET / HTTP/1.1\nHost: a\n\n", 400, 0},
	{"no host", "GET / HTTP/1.1\r\n\r\n", 400, 0},
	{"two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, 0},
	{"garbage", "GARBAGE\r\n\r\n", 400, 0},
	{"tls", "\x16\x03\x01\x02\x00\x01", 400, 0},
	{"h2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505, 0},
	{"version", "GET / HTTP/9.9\r\n\r\n", 505, 0},
	{"two spaces", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400, 0},
	{"lone cr", "\rGET / HTTP/1.1\r\nHost: a\r\n\r\n", 400, 0},
	{"behind a good one", get + "GET / HTTP/1.1\r\n\r\n", 400, len(get)},
	{"negative chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc", 400, 56},
	{"huge chunk", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000003\r\nabc", 400, 56},
	{"chunk lf", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2;\nxx\r\n45\r\n0\r\n\r\n", 400, 56},
	{"chunk space", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2 \r\nxx\r\n0\r\n\r\n", 400, 56},
	{"chunk empty size", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\r\nxx", 400, 56},
	{"chunk too long", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nxxx\r\n0\r\n\r\n", 400, 61},
	{"bad trailer", "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nno colon\r\n\r\n", 400, 59},
}

func TestGate(t *testing.T) {
	for _, tt := range gateTests {
		t.Run(tt.name, func(t *testing.T) {
			want := tt.in
			if tt.passed >= 0 {
				want = tt.in[:tt.passed]
			}
			out, heads, status := through(whole(tt.in))
			if status != tt.status || string(out) != want {
				t.Fatalf("status %d and %q forwarded, want %d and %q", status, out, tt.status, want)
			}
			same := func(how string, pieces [][]byte) {
				o, h, s := through(pieces)
				if !bytes.Equal(o, out) || strings.Join(h, "\n") != strings.Join(heads, "\n") || s != status {
					t.Fatalf("%s: status %d, %q forwarded, heads %q; whole: %d, %q, %q", how, s, o, h, status, out, heads)
				}
			}
			same("byte by byte", each(tt.in))
			for i := range len(tt.in) {
				same(fmt.Sprintf("cut at %d", i), [][]byte{[]byte(tt.in[:i]), []byte(tt.in[i:])})
			}
			r := rand.New(rand.NewPCG(1, 2))
			for range 50 {
				var pieces [][]byte
				for rest := tt.in; rest != ""; {
					n := 1 + r.IntN(len(rest))
					pieces, rest = append(pieces, []byte(rest[:n])), rest[n:]
				}
				same("random pieces", pieces)
			}
		})
	}
}

func TestGateLimits(t *testing.T) {
	long := "GET / HTTP/1.1\r\nHost: a\r\nX: " + strings.Repeat("v", maxHead)
	if _, _, status := through(whole(long)); status != 431 {
		t.Errorf("a head without end: %d, want 431", status)
	}
	if _, _, status := through(whole("GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X:\r\n", maxFields-1) + "\r\n")); status != 0 {
		t.Errorf("as many fields as may be: %d", status)
	}
	if _, _, status := through(whole("GET / HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X:\r\n", maxFields) + "\r\n")); status != 431 {
		t.Errorf("a field too many: %d, want 431", status)
	}
	for n, want := range map[int]int{http1.MaxMethod: 0, http1.MaxMethod + 1: 501} {
		if _, _, status := through(whole(strings.Repeat("M", n) + " / HTTP/1.1\r\nHost: a\r\n\r\n")); status != want {
			t.Errorf("a method of %d bytes: %d, want %d", n, status, want)
		}
	}
	lines := "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
	if _, _, status := through(whole(lines + "1;" + strings.Repeat("e", maxLine))); status != 400 {
		t.Errorf("a chunk extension without end: %d, want 400", status)
	}
	if _, _, status := through(whole(lines + "0\r\n" + strings.Repeat("X: y\r\n", maxTrailers/6+1))); status != 400 {
		t.Errorf("trailers without end: %d, want 400", status)
	}
	for n, want := range map[int]int{maxFields: 0, maxFields + 1: 400} {
		if _, _, status := through(whole(lines + "0\r\n" + strings.Repeat("X:\r\n", n) + "\r\n")); status != want {
			t.Errorf("%d trailers: %d, want %d", n, status, want)
		}
	}
}

// collector notes the borders that the http1 parser finds.
type collector struct {
	heads, ends []int64
	broken      bool
}

func (c *collector) Start(int64)                   {}
func (c *collector) Head(_ *http1.Head, end int64) { c.heads = append(c.heads, end) }
func (c *collector) Body(int64, int64)             {}
func (c *collector) Lost(int64, int64)             {}
func (c *collector) End(off int64)                 { c.ends = append(c.ends, off) }
func (c *collector) Broken(off int64, why string)  { c.broken = true }

// FuzzGate checks that what passes the gate is framed in the same way by a lenient parser, that the result does not depend
// on how the bytes are split, and that nothing but a prefix of the input passes.
func FuzzGate(f *testing.F) {
	for _, tt := range gateTests {
		f.Add([]byte(tt.in), uint8(7))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8) {
		out, heads, status := through([][]byte{in})
		if !bytes.HasPrefix(in, out) {
			t.Fatalf("%q is no prefix of %q", out, in)
		}
		var pieces [][]byte
		for rest := in; len(rest) > 0; {
			n := min(len(rest), int(step%32)+1)
			pieces, rest = append(pieces, rest[:n]), rest[n:]
		}
		o, h, s := through(pieces)
		if !bytes.Equal(o, out) || strings.Join(h, "\n") != strings.Join(heads, "\n") || s != status {
			t.Fatalf("pieces of %d: status %d, %q, %q; whole: %d, %q, %q", int(step%32)+1, s, o, h, status, out, heads)
		}
		var c collector
		p := http1.NewRequestParser(&c)
		p.Write(out)
		if c.broken || len(c.heads) != len(heads) {
			t.Fatalf("the parser finds %d heads (broken %v) in %q, the gate %q", len(c.heads), c.broken, out, heads)
		}
	})
}
