package coding

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// encoder is what all encoders used here share.
type encoder interface {
	io.WriteCloser
	Flush() error
}

// encoders maps each encoding to the independent implementation that makes the tests' input.
var encoders = map[string]func(w io.Writer) encoder{
	"gzip":    func(w io.Writer) encoder { return gzip.NewWriter(w) },
	"x-gzip":  func(w io.Writer) encoder { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) encoder { return zlib.NewWriter(w) },
	"Deflate": func(w io.Writer) encoder { e, _ := flate.NewWriter(w, 6); return e },
	"br":      func(w io.Writer) encoder { return brotli.NewWriter(w) },
	"zstd":    func(w io.Writer) encoder { e, _ := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)); return e },
	"br, gzip": func(w io.Writer) encoder {
		outer := gzip.NewWriter(w)
		return &stacked{brotli.NewWriter(outer), outer}
	},
}

// stacked is two codings upon each other.
type stacked struct {
	encoder
	outer encoder
}

func (s *stacked) Flush() error { return errors.Join(s.encoder.Flush(), s.outer.Flush()) }
func (s *stacked) Close() error { return errors.Join(s.encoder.Close(), s.outer.Close()) }

// mark is a flush: everything in plain[:plain] is decodable from coded[:coded].
type mark struct{ coded, plain int }

// flushed encodes events, flushing after each.
func flushed(encoding string, events int) (coded, plain []byte, marks []mark) {
	var out bytes.Buffer
	e := encoders[encoding](&out)
	for i := range events {
		event := fmt.Sprintf("id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{\"n\":%x}}\n\n", i, i, rand.Uint64())
		plain = append(plain, event...)
		io.WriteString(e, event)
		e.Flush()
		marks = append(marks, mark{out.Len(), len(plain)})
	}
	e.Close()
	return out.Bytes(), plain, append(marks, mark{out.Len(), len(plain)})
}

func mustNew(t testing.TB, encoding string, limit int64) *Decoder {
	t.Helper()
	d, err := New(encoding, limit)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d
}

func TestByteByByte(t *testing.T) {
	for encoding := range encoders {
		t.Run(encoding, func(t *testing.T) {
			coded, plain, marks := flushed(encoding, 40)
			d := mustNew(t, encoding, 1<<20)
			var got []byte
			next := 0
			for i := range coded {
				d.Write(coded[i:i+1], func(out []byte) { got = append(got, out...) })
				if err := d.Err(); err != nil {
					t.Fatalf("after %d bytes: %v", i+1, err)
				}
				for marks[next].coded == i+1 && next < len(marks)-1 {
					if want := marks[next].plain; len(got) < want {
						t.Fatalf("flush %d at byte %d: %d bytes out, want %d", next, i+1, len(got), want)
					}
					next++
				}
			}
			if !bytes.Equal(got, plain) {
				t.Fatalf("got %d bytes, want %d", len(got), len(plain))
			}
		})
	}
}

func TestCutAnywhere(t *testing.T) {
	for encoding := range encoders {
		t.Run(encoding, func(t *testing.T) {
			coded, plain, marks := flushed(encoding, 6)
			for n := range len(coded) + 1 {
				d := mustNew(t, encoding, 1<<20)
				var got []byte
				keep := func(out []byte) { got = append(got, out...) }
				d.Write(coded[:n], keep)
				want := 0
				for _, m := range marks[:len(marks)-1] {
					if m.coded <= n {
						want = m.plain
					}
				}
				if len(got) < want {
					t.Fatalf("cut at %d: %d bytes out, want %d", n, len(got), want)
				}
				d.Finish(keep)
				if err := d.Err(); err != nil {
					t.Fatalf("cut at %d: %v", n, err)
				}
				if !bytes.HasPrefix(plain, got) {
					t.Fatalf("cut at %d: output differs", n)
				}
			}
		})
	}
}

func TestSplitInvariance(t *testing.T) {
	for encoding := range encoders {
		t.Run(encoding, func(t *testing.T) {
			coded, plain, _ := flushed(encoding, 200)
			r := rand.New(rand.NewPCG(1, 2))
			for range 30 {
				d := mustNew(t, encoding, 1<<20)
				var got []byte
				for rest := coded; len(rest) > 0; {
					n := 1 + r.IntN(min(len(rest), 3000))
					d.Write(rest[:n], func(out []byte) { got = append(got, out...) })
					rest = rest[n:]
				}
				if !bytes.Equal(got, plain) || d.Err() != nil {
					t.Fatalf("got %d bytes, want %d, err %v", len(got), len(plain), d.Err())
				}
			}
		})
	}
}

// TestUnflushed shows that Finish gives up what lies between two flushes.
func TestUnflushed(t *testing.T) {
	plain := []byte(strings.Repeat("data: some text that is never flushed\n\n", 3000))
	for _, encoding := range []string{"gzip", "deflate", "Deflate", "br"} {
		var out bytes.Buffer
		e := encoders[encoding](&out)
		e.Write(plain)
		e.Close()
		coded := out.Bytes()
		d := mustNew(t, encoding, 1<<20)
		var got []byte
		keep := func(out []byte) { got = append(got, out...) }
		d.Write(coded[:len(coded)-20], keep)
		before := len(got)
		d.Finish(keep)
		if d.Err() != nil || !bytes.HasPrefix(plain, got) || len(got) <= before && encoding != "br" {
			t.Errorf("%s: %d bytes before Finish, %d after, err %v", encoding, before, len(got), d.Err())
		}
	}
}

func TestMultistreamGzip(t *testing.T) {
	a, plainA, _ := flushed("gzip", 3)
	b, plainB, _ := flushed("gzip", 3)
	var named bytes.Buffer
	w := gzip.NewWriter(&named)
	w.Name, w.Comment, w.Extra = "name", "comment", []byte("extra")
	io.WriteString(w, "last")
	w.Close()
	coded := bytes.Join([][]byte{a, b, named.Bytes(), make([]byte, 40)}, nil)
	want := string(plainA) + string(plainB) + "last"
	for _, step := range []int{1, 7, len(coded)} {
		d := mustNew(t, "gzip", 1<<20)
		var got []byte
		for rest := coded; len(rest) > 0; {
			n := min(step, len(rest))
			d.Write(rest[:n], func(out []byte) { got = append(got, out...) })
			rest = rest[n:]
		}
		if string(got) != want || d.Err() != nil {
			t.Errorf("step %d: got %q, err %v", step, got, d.Err())
		}
	}
}

func TestBombStopsAtLimit(t *testing.T) {
	zeros := make([]byte, 1<<20)
	for _, encoding := range []string{"gzip", "deflate", "Deflate", "br", "zstd", "br, gzip", "identity"} {
		var out bytes.Buffer
		if encoding == "identity" {
			out.Write(zeros)
		} else {
			e := encoders[encoding](&out)
			for range 16 {
				e.Write(zeros)
			}
			e.Close()
		}
		for _, limit := range []int64{0, 1, 1000, 1 << 19} {
			d := mustNew(t, encoding, limit)
			var n int64
			d.Write(out.Bytes(), func(out []byte) { n += int64(len(out)) })
			if n != limit || !errors.Is(d.Err(), ErrLimit) {
				t.Errorf("%s: %d bytes for limit %d, err %v", encoding, n, limit, d.Err())
			}
			d.Write(out.Bytes(), func([]byte) { t.Error("output after an error") })
		}
	}
}

// TestLimitBetweenLayers feeds layers that multiply inside while nothing comes out at the end.
func TestLimitBetweenLayers(t *testing.T) {
	var inner, outer bytes.Buffer
	w := gzip.NewWriter(&inner)
	for range 1 << 16 {
		w.Flush() // an empty block of 5 bytes
	}
	w.Close()
	o := gzip.NewWriter(&outer)
	o.Write(inner.Bytes())
	o.Close()
	d := mustNew(t, "gzip, gzip", 1000)
	d.Write(outer.Bytes(), func([]byte) { t.Error("output") })
	if !errors.Is(d.Err(), ErrLimit) {
		t.Errorf("err %v after %d bytes of %d", d.Err(), outer.Len(), inner.Len())
	}
}

func TestBadInput(t *testing.T) {
	gz, plain, _ := flushed("gzip", 3)
	wrongSum := bytes.Clone(gz)
	wrongSum[len(wrongSum)-5]++
	for _, tt := range []struct {
		name, encoding string
		in             []byte
		out            string
		bad            bool
	}{
		{"not gzip", "gzip", []byte("HTTP/1.1 200 OK\r\n"), "", true},
		{"wrong gzip checksum", "gzip", wrongSum, string(plain), true},
		{"zlib with dictionary", "deflate", []byte{0x78, 0xbb, 0, 0, 0, 0}, "", true},
		{"not brotli", "br", bytes.Repeat([]byte{0xff}, 100), "", true},
		{"not zstd", "zstd", []byte("0123456789"), "", true},
		{"zstd window too large", "zstd", []byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xf8, 1, 0, 0}, "", true},
		{"empty", "gzip", nil, "", false},
		{"garbage after deflate", "deflate", append(deflated("x"), "garbage"...), "x", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := mustNew(t, tt.encoding, 1<<20)
			var got []byte
			keep := func(out []byte) { got = append(got, out...) }
			d.Write(tt.in, keep)
			d.Finish(keep)
			if string(got) != tt.out || (d.Err() != nil) != tt.bad {
				t.Errorf("got %q, err %v", got, d.Err())
			}
		})
	}
}

func deflated(s string) []byte {
	var out bytes.Buffer
	w := zlib.NewWriter(&out)
	io.WriteString(w, s)
	w.Close()
	return out.Bytes()
}

func TestSupported(t *testing.T) {
	for encoding, want := range map[string]bool{
		"": true, "identity": true, "gzip": true, "X-GZip": true, "deflate": true, "br": true, "zstd": true,
		"gzip, br": true, " identity,gzip ,": true,
		"compress": false, "gzip, aws-chunked": false, "dcb": false, "gzip;q=1": false,
		"gzip,gzip,gzip,gzip": true, "gzip,gzip,gzip,gzip,gzip": false,
	} {
		if got := Supported(encoding); got != want {
			t.Errorf("Supported(%q) = %v", encoding, got)
		}
		if _, err := New(encoding, 1); (err == nil) != want || err != nil && !errors.Is(err, ErrUnsupported) {
			t.Errorf("New(%q): %v", encoding, err)
		}
	}
}

func TestNoGoroutinesLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	for encoding := range encoders {
		coded, _, _ := flushed(encoding, 5)
		for _, n := range []int{0, 1, len(coded) / 2, len(coded)} {
			d, _ := New(encoding, 1<<20)
			d.Write(coded[:n], func([]byte) {})
			d.Close()
			d.Close()
			d.Write(coded, func([]byte) { t.Error("output after Close") })
		}
	}
	for range 100 {
		runtime.Gosched()
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}

func FuzzDecoder(f *testing.F) {
	names := []string{"gzip", "deflate", "br", "zstd", "br, gzip", "identity"}
	for i, name := range names {
		if encoders[name] == nil {
			f.Add(uint8(i), []byte("plain"), uint8(3))
			continue
		}
		coded, _, _ := flushed(name, 3)
		f.Add(uint8(i), coded, uint8(5))
	}
	f.Fuzz(func(t *testing.T, which uint8, in []byte, step uint8) {
		const limit = 1 << 16
		name := names[int(which)%len(names)]
		decode := func(step int) (out []byte, atEnd int, err error) {
			d := mustNew(t, name, limit)
			keep := func(b []byte) { out = append(out, b...) }
			for rest := in; len(rest) > 0; {
				n := min(step, len(rest))
				d.Write(rest[:n], keep)
				rest = rest[n:]
			}
			atEnd = len(out)
			d.Finish(keep)
			return out, atEnd, d.Err()
		}
		whole, n1, err1 := decode(len(in) + 1)
		pieces, n2, err2 := decode(1 + int(step))
		same := bytes.Equal(whole, pieces) && n1 == n2
		if err1 != nil && err2 != nil {
			same = bytes.HasPrefix(whole, pieces) || bytes.HasPrefix(pieces, whole)
		}
		if !same || (err1 == nil) != (err2 == nil) {
			t.Fatalf("%s: whole %d/%d bytes, %v; pieces %d/%d bytes, %v", name, n1, len(whole), err1, n2, len(pieces), err2)
		}
		if len(whole) > limit {
			t.Fatalf("%d bytes out", len(whole))
		}
	})
}

func BenchmarkDecoder(b *testing.B) {
	for encoding := range encoders {
		coded, plain, marks := flushed(encoding, 2000)
		b.Run(encoding, func(b *testing.B) {
			b.SetBytes(int64(len(plain)))
			for b.Loop() {
				d, _ := New(encoding, 1<<30)
				at := 0
				for _, m := range marks {
					d.Write(coded[at:m.coded], func([]byte) {})
					at = m.coded
				}
				d.Close()
			}
		})
	}
}
