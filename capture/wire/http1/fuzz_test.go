package http1

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

func FuzzParser(f *testing.F) {
	for i, m := range messages {
		f.Add([]byte(m.in), uint8(i), m.method != "", uint16(0))
		f.Add([]byte(m.in), uint8(i), m.method != "", uint16(i*7))
	}
	f.Fuzz(func(t *testing.T, in []byte, step uint8, response bool, miss uint16) {
		method := ""
		if response {
			method = "POST"
		}
		run := func(step int) *trace {
			p, tr := newParser(string(in), method)
			for at := 0; at < len(in); {
				n := p.Write(in[at:min(at+step, len(in))])
				if at += n; n == 0 {
					break
				}
			}
			if p.state == upgraded || p.state == hunting {
				return tr
			}
			if p.Offset() != int64(len(in)) {
				t.Fatalf("offset %d of %d", p.Offset(), len(in))
			}
			p.EOF()
			return tr
		}
		whole, pieces := run(len(in)+1).String(), run(1+int(step)).String()
		// Only up to the first break is the result independent of the split.
		upTo := func(s string) string { before, _, _ := strings.Cut(s, "broken"); return before }
		if upTo(whole) != upTo(pieces) {
			t.Fatalf("whole:  %s\npieces: %s", whole, pieces)
		}
		// With holes and a start in the middle nothing may go wrong, and spans must ascend.
		var a ascending
		p := NewResponseParser(&a, nil)
		if !response {
			p = NewRequestParser(&a)
		}
		p.Resync()
		for at := 0; at < len(in); {
			end := min(at+1+int(step), len(in))
			p.Write(in[at:end])
			p.Missing(int64(miss) * int64(end%3))
			at = end
		}
		p.EOF()
		if a.bad {
			t.Fatal("offsets do not ascend")
		}
	})
}

// ascending checks the order of offsets.
type ascending struct {
	last int64
	bad  bool
}

func (a *ascending) to(start, end int64) {
	a.bad = a.bad || start < a.last || end < start
	a.last = end
}
func (a *ascending) Start(off int64)            { a.to(off, off) }
func (a *ascending) Head(_ *Head, end int64)    { a.to(end, end) }
func (a *ascending) Body(start, end int64)      { a.to(start, end); a.bad = a.bad || start == end }
func (a *ascending) Lost(start, end int64)      { a.to(start, end); a.bad = a.bad || start == end }
func (a *ascending) End(off int64)              { a.to(off, off) }
func (a *ascending) Broken(off int64, _ string) {}

func BenchmarkParser(b *testing.B) {
	var in bytes.Buffer
	for range 200 {
		in.WriteString("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nCache-Control: no-cache\r\nMcp-Session-Id: 0123456789abcdef\r\n\r\n")
		for range 10 {
			fmt.Fprintf(&in, "%x\r\n%s\r\n", 600, strings.Repeat("x", 600))
		}
		in.WriteString("0\r\n\r\n")
	}
	b.SetBytes(int64(in.Len()))
	b.ReportAllocs()
	for b.Loop() {
		p := NewResponseParser(new(ascending), nil)
		for rest := in.Bytes(); len(rest) > 0; {
			n := min(1460, len(rest))
			p.Write(rest[:n])
			rest = rest[n:]
		}
	}
}
