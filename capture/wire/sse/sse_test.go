package sse

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// streams are the seeds of all tests that compare with the reference.
var streams = []string{
	"",
	"data: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n\n",
	"data: a\n\ndata: b\n\n",
	"event: message\nid: 7\nretry: 500\ndata: x\n\n",
	"id: 7\nretry: 500\ndata: \n\n",
	"id: 7\n\n",
	"id\n\n",
	"id: a\x00b\ndata: x\n\n",
	"retry: 10x\nretry:\nretry: 7\n\n",
	"data: a\ndata:b\ndata:  c\ndata\n\n",
	"data\n\n", "data:\n\n", "data\ndata\n\n",
	":k\n\n", ":k\n", ": a\n: b\ndata: x\n\n: c",
	"data: x\r\n\r\n", "data: x\r\r", "data: x\r\n\r", "data: x\r\rdata: y\r\r\n\n", "data: x\n\r\ndata: y\r\n\n",
	"data: x\r\n\n", "\r\n\r\n\r\ndata: x\r\n\r\n\r\n", "\n\n\n", "\r\r\r", "\n\r\n\r",
	"\xEF\xBB\xBFdata: x\n\n", "\xEF\xBB\xBF", "\xEF\xBB", "\xEF", "\xEF\xBBdata: x\n\n", "\xEF\xEF\xBB\xBF\n\n", "\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\n",
	"data: bad \xff utf8\n\n", "data: \xe2\x82\xac\n\n", "x\xff: 1\n\n",
	"no colon\ndata: x\n\n", "Data: x\n\n", " data: x\n\n", "datax: x\n\n", "data : x\n\n", "dat", "data", "data:", "data: ", "data: {", "data:{",
	"data: x\ndata", "data: x\ndata:", "data: x\ndata: ", "data: x\ndata: y", "data: x\n", "data: x\r", "data: x\r\n", "id: 3\nda", ": c\nda",
	"event: message\ndata: x\n\nevent: other\ndata: y\n\ndata: z\n\n",
	"data: x\n\n\r\n:\n:\r:\r\n\r\n",
}

// scan writes the pieces to a Scanner.
func scan(pieces ...[]byte) ([]record, *Scanner) {
	var r recorder
	s := NewScanner(&r)
	for _, p := range pieces {
		s.Write(p)
	}
	return r.got, s
}

func splitBytes(b []byte) (pieces [][]byte) {
	for i := range b {
		pieces = append(pieces, b[i:i+1])
	}
	return pieces
}

// checkAgainst compares what pieces give with the reference.
func checkAgainst(t *testing.T, b []byte, split string, pieces ...[]byte) {
	t.Helper()
	want, wantTail := reference(b)
	got, s := scan(pieces...)
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%q %s:\n got %+v\nwant %+v", b, split, got, want)
	}
	tail := s.Tail()
	if !bytes.Equal(tail.Data, wantTail.Data) {
		t.Fatalf("%q %s: tail data %q, want %q", b, split, tail.Data, wantTail.Data)
	}
	tail.Data, wantTail.Data = nil, nil
	if !reflect.DeepEqual(tail, wantTail) {
		t.Fatalf("%q %s:\n got tail %+v\nwant tail %+v", b, split, tail, wantTail)
	}
	if s.Offset() != int64(len(b)) || s.BOM() != bytes.HasPrefix(b, []byte("\xEF\xBB\xBF")) {
		t.Fatalf("%q %s: offset %d, BOM %v", b, split, s.Offset(), s.BOM())
	}
}

func TestAgainstReference(t *testing.T) {
	for _, in := range streams {
		b := []byte(in)
		checkAgainst(t, b, "whole", b)
		checkAgainst(t, b, "byte by byte", splitBytes(b)...)
		for i := range b {
			checkAgainst(t, b, fmt.Sprint("cut at ", i), b[:i], b[i:])
			checkAgainst(t, b[:i], fmt.Sprint("first ", i), b[:i])
		}
	}
}

func TestRandomStreams(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	tokens := []string{"data:", "data", " ", "{\"id\":1}", "\n", "\r", "\r\n", "\n\n", "\r\n\r\n", ":", "id: 4", "event: e", "retry: 12", "\x00", "\xff", "é", "x"}
	for range 3000 {
		var b []byte
		for range r.IntN(30) {
			b = append(b, tokens[r.IntN(len(tokens))]...)
		}
		var pieces [][]byte
		for rest := b; len(rest) > 0; {
			n := 1 + r.IntN(len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		checkAgainst(t, b, "whole", b)
		checkAgainst(t, b, fmt.Sprintf("%q", pieces), pieces...)
	}
}

// TestDispatchOffset shows at which byte an event is dispatched, for each kind of line end.
func TestDispatchOffset(t *testing.T) {
	for _, tt := range []struct {
		in  string
		end int64
	}{{"data: x\n\nmore", 9}, {"data: x\r\n\r\nmore", 10}, {"data: x\r\rmore", 9}} {
		for n := range len(tt.in) + 1 {
			got, s := scan([]byte(tt.in[:n]))
			if dispatched := len(got) > 0; dispatched != (int64(n) >= tt.end) {
				t.Errorf("%q: dispatched %v after %d bytes", tt.in, dispatched, n)
			}
			if tail := s.Tail(); int64(n) < tt.end && tail.Len != int64(n) || int64(n) == tt.end && tail.Len != 0 {
				t.Errorf("%q: tail %d after %d bytes", tt.in, tail.Len, n)
			}
		}
	}
}

func TestRetryIsCapped(t *testing.T) {
	got, _ := scan([]byte("retry: " + strings.Repeat("9", 30) + "\n\nretry: 9223372036854775808000\n\n"))
	for _, r := range got {
		if r.ev.Retry != math.MaxInt64 {
			t.Errorf("retry %d", r.ev.Retry)
		}
	}
}

func TestLimits(t *testing.T) {
	in := []byte("data: " + strings.Repeat("x", 70) + "\ndata: é" + strings.Repeat("y", 60) + "\n\n" +
		"data: whole\n\n" + "id: " + strings.Repeat("z", MaxField) + "\n\n" + ":" + strings.Repeat("c", 2*MaxField) + "\ndata: x\n\n")
	for _, step := range []int{1, 7, 1000, len(in)} {
		var r recorder
		s := NewScanner(&r)
		s.SetMaxEvent(72)
		for rest := in; len(rest) > 0; {
			n := min(step, len(rest))
			s.Write(rest[:n])
			rest = rest[n:]
		}
		if len(r.got) != 5 {
			t.Fatalf("step %d: %d records", step, len(r.got))
		}
		e := r.got[0]
		if !e.ev.Truncated || len(e.data) != 72 || e.ev.DataLines != 2 || e.ev.End != 147 || e.ev.BadUTF8 {
			t.Errorf("step %d: %+v, %d bytes", step, e.ev, len(e.data))
		}
		if e := r.got[1]; e.ev.Truncated || e.data != "whole" {
			t.Errorf("step %d: %+v", step, e)
		}
		if e := r.got[2]; !e.ev.Truncated || len(e.ev.ID) != MaxField-4 {
			t.Errorf("step %d: id of %d bytes", step, len(e.ev.ID))
		}
		if e := r.got[4]; e.ev.Truncated || e.data != "x" {
			t.Errorf("step %d: %+v", step, e)
		}
	}
}

func FuzzScanner(f *testing.F) {
	for i, s := range streams {
		f.Add([]byte(s), uint8(i))
	}
	f.Fuzz(func(t *testing.T, b []byte, step uint8) {
		var pieces [][]byte
		for rest := b; len(rest) > 0; {
			n := min(1+int(step), len(rest))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		checkAgainst(t, b, "whole", b)
		checkAgainst(t, b, fmt.Sprint("in steps of ", 1+int(step)), pieces...)
		// Events and the tail cover the stream, but for comments and blank lines between them.
		got, s := scan(b)
		at := int64(0)
		for _, r := range got {
			if r.what == "event" {
				if r.start < at || r.end <= r.start {
					t.Fatalf("%q: event [%d,%d) after %d", b, r.start, r.end, at)
				}
				at = r.end
			}
		}
		if tail := s.Tail(); tail.Start < at || tail.Start+tail.Len != int64(len(b)) {
			t.Fatalf("%q: tail %+v after %d", b, tail, at)
		}
	})
}

// nothing is a Handler for benchmarks.
type nothing struct{ events int }

func (n *nothing) Event(*Event)         { n.events++ }
func (n *nothing) Comment(int64, int64) {}
func (n *nothing) CRLF(int64)           {}

func BenchmarkScanner(b *testing.B) {
	for name, eol := range map[string]string{"LF": "\n", "CRLF": "\r\n", "CR": "\r"} {
		var in bytes.Buffer
		for i := range 3000 {
			fmt.Fprintf(&in, "event: message%sdata: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":\"%s\"}%s%s", eol, i, strings.Repeat("x", i%900), eol, eol)
		}
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(in.Len()))
			b.ReportAllocs()
			for b.Loop() {
				s := NewScanner(new(nothing))
				for rest := in.Bytes(); len(rest) > 0; {
					n := min(1460, len(rest))
					s.Write(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}
