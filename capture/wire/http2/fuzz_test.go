package http2

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// FuzzReader demands that a Reader survives anything; tells of no byte twice, nor out of order; and, as long as it does
// not lose its step, tells the same however the input is cut.
func FuzzReader(f *testing.F) {
	for _, s := range []string{frames(), session(), Preface + frames(), "HTTP/1.1 200 OK\r\n\r\n", frames()[5:]} {
		f.Add([]byte(s), uint64(1), false)
		f.Add([]byte(s), uint64(2), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, seed uint64, fromClient bool) {
		whole := newLog(t)
		r := NewReader(whole, fromClient)
		r.Write(in)
		if r.off != int64(len(in)) {
			t.Fatalf("read %d of %d bytes", r.off, len(in))
		}
		// Without its preface a client's direction is out of step from the start, even where a border is found at its first byte.
		begins := !fromClient || strings.HasPrefix(Preface, string(in)) || strings.HasPrefix(string(in), Preface)
		inStep := begins && len(whole.lost) == 0 && r.state != scanning

		rnd := rand.New(rand.NewPCG(seed, 0))
		pieces := newLog(t)
		r = NewReader(pieces, fromClient)
		for rest := in; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 20))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		if inStep && whole.String() != pieces.String() {
			t.Fatalf("whole:\n%s\nin pieces:\n%s", whole, pieces)
		}

		holes := newLog(t)
		r = NewReader(holes, fromClient)
		for rest := in; len(rest) > 0; {
			n := 1 + rnd.IntN(min(len(rest), 200))
			switch rnd.IntN(10) {
			case 0:
				r.Resync()
			case 1, 2, 3:
				r.Missing(int64(n))
			default:
				r.Write(rest[:n])
			}
			rest = rest[n:]
			if len(r.scan.window) > maxWindow || len(r.block.buf) > maxBlock {
				t.Fatal("too much kept")
			}
		}
		r.Close()
		if holes.next > r.off {
			t.Fatalf("told of bytes up to %d of %d", holes.next, r.off)
		}
	})
}
