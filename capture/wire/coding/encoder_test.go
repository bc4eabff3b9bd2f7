package coding_test

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"mcptrace/capture/wire/coding"
)

// TestEncoder: what goes in with a piece can be read from what comes out with it; the end of the stream is known as such.
func TestEncoder(t *testing.T) {
	for _, encoding := range []string{"gzip", "X-Gzip", "deflate", "br", "zstd", "br, gzip"} {
		for _, first := range []byte{0x78, 0x00} { // zlib's, or raw deflate's
			for _, whole := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s %#x %v", encoding, first, whole), func(t *testing.T) {
					enc, err := coding.NewEncoder(encoding, first)
					if err != nil {
						t.Fatal(err)
					}
					dec, err := coding.New(encoding, 1<<20)
					if err != nil {
						t.Fatal(err)
					}
					defer dec.Close()
					var got []byte
					take := func(b []byte) { got = append(got, b...) }
					for i := range 5 {
						piece := bytes.Repeat(fmt.Appendf(nil, "data: %d\n\n", i), 1+1000*i)
						got = nil
						dec.Write(enc.Write(piece), take)
						if !bytes.Equal(got, piece) {
							t.Fatalf("piece %d: %d bytes of %d", i, len(got), len(piece))
						}
					}
					got = nil
					if whole {
						dec.Write(enc.Close(), take)
					}
					dec.Finish(take)
					if dec.Whole() != whole || dec.Err() != nil || len(got) > 0 {
						t.Errorf("whole: %v, %v, %d bytes more", dec.Whole(), dec.Err(), len(got))
					}
				})
			}
		}
	}
	if _, err := coding.NewEncoder("compress", 0); !errors.Is(err, coding.ErrUnsupported) {
		t.Errorf("an unknown coding: %v", err)
	}
}
