package bigpcap

import (
	"bytes"
	"errors"
	"io"
	"testing"
)

// TestSame: equal options give equal bytes, another seed other ones, and the truth counts what was written.
func TestSame(t *testing.T) {
	var a, b, c bytes.Buffer
	truth, err := Generate(&a, Options{Bytes: 1e6, Seed: 7})
	if err != nil {
		t.Fatal(err)
	}
	Generate(&b, Options{Bytes: 1e6, Seed: 7})
	Generate(&c, Options{Bytes: 1e6, Seed: 8})
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("the same options give other bytes")
	}
	if bytes.Equal(a.Bytes(), c.Bytes()) {
		t.Error("another seed gives the same bytes")
	}
	if truth.Bytes != int64(a.Len()) || truth.Bytes < 1e6 {
		t.Errorf("%d bytes written, the truth says %d", a.Len(), truth.Bytes)
	}
	n := &truth.Totals
	if n.Calls != n.Delivered+n.Lost+n.Unknown || n.Exchanges < n.Calls || n.Unknown != 1 || truth.Sessions < 2 {
		t.Errorf("the truth does not add up: %+v", truth)
	}
}

// TestAllBreakages: a capture of some size holds each breakage and each kind of re-issue.
func TestAllBreakages(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 60 MB")
	}
	truth, err := Generate(io.Discard, Options{Bytes: 60e6, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range breakages {
		if truth.ReissuesBy[b.finding] == 0 {
			t.Errorf("%s: none is issued again", b.name)
		}
	}
	if truth.HeldOpen == 0 || truth.InitHeldOpen == 0 || truth.Retransmitted == 0 || truth.NonMCP == 0 || truth.TLSOpaque == 0 || truth.Totals.ClientCloses == 0 {
		t.Errorf("something is missing: %+v", truth)
	}
}

// TestFailingWriter: an error of the writer comes back.
func TestFailingWriter(t *testing.T) {
	want := errors.New("full")
	if _, err := Generate(failing{want}, Options{Bytes: 5e6}); !errors.Is(err, want) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
