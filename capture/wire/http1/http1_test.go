package http1

import (
	"fmt"
	"strings"
	"testing"
)

// trace writes down what a Parser reports, adjacent body spans merged so that it does not depend on
// how the input was split.
type trace struct {
	lines []string
	kind  string
	span  [2]int64
	in    []byte
	body  []byte
	heads []*Head
}

func (t *trace) flush() {
	if t.kind != "" {
		t.lines = append(t.lines, fmt.Sprintf("%s %d-%d", t.kind, t.span[0], t.span[1]))
	}
	t.kind = ""
}

func (t *trace) add(format string, args ...any) {
	t.flush()
	t.lines = append(t.lines, fmt.Sprintf(format, args...))
}

func (t *trace) bytes(kind string, start, end int64) {
	if t.kind == kind && t.span[1] == start {
		t.span[1] = end
		return
	}
	t.flush()
	t.kind, t.span = kind, [2]int64{start, end}
}

func (t *trace) Start(off int64) { t.add("start %d", off) }
func (t *trace) Head(h *Head, end int64) {
	t.heads = append(t.heads, h)
	what := fmt.Sprintf("%s %s", h.Method, h.Target)
	if h.Status != 0 {
		what = fmt.Sprint(h.Status)
	}
	t.add("head %s %s %d", what, h.Framing, end)
}
func (t *trace) Body(start, end int64) {
	t.bytes("body", start, end)
	if t.in != nil {
		t.body = append(t.body, t.in[start:end]...)
	}
}
func (t *trace) Lost(start, end int64) { t.bytes("lost", start, end) }
func (t *trace) End(off int64)         { t.add("end %d", off) }
func (t *trace) Broken(off int64, why string) {
	t.add("broken %d %s", off, why)
}

func (t *trace) String() string {
	t.flush()
	return strings.Join(t.lines, "; ")
}

// newParser returns a parser of in for the request if method is "", else for the response to method.
func newParser(in, method string) (*Parser, *trace) {
	t := &trace{in: []byte(in)}
	if method == "" {
		return NewRequestParser(t), t
	}
	return NewResponseParser(t, func() string { return method }), t
}

var messages = []struct {
	name, method string // method "": a request
	in           string
	want         string
	eof          bool
}{
	{"post", "", "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
		"start 0; head POST /mcp length 50; body 50-55; end 55", false},
	{"two requests", "", "GET / HTTP/1.1\r\n\r\nDELETE /mcp HTTP/1.0\r\n\r\n",
		"start 0; head GET / none 18; end 18; start 18; head DELETE /mcp none 42; end 42", false},
	{"leading empty lines and bare LF", "", "\r\n\nGET / HTTP/1.1\nHost: a\n\n",
		"start 3; head GET / none 27; end 27", false},
	{"absolute form, query", "", "GET http://x/y?z=1:2 HTTP/1.1\r\n\r\n",
		"start 0; head GET http://x/y?z=1:2 none 33; end 33", false},
	{"chunked request", "", "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5;x=y\r\nhello\r\n0\r\n\r\n",
		"start 0; head POST / chunked 47; body 54-59; end 66", false},
	{"request with coding that is not chunked", "", "POST / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\nxyz",
		"start 0; head POST / faulty 44; broken 44 contradicting body framing", false},
	{"http2 preface", "", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
		"start 0; broken 0 not an HTTP/1 start line", false},
	{"tls", "", "\x16\x03\x01\x02\x00\x01", "broken 0 not an HTTP/1 start line", false},
	{"words", "", "hello world\r\n\r\n", "start 0; broken 0 not an HTTP/1 start line", false},
	{"garbage after a request", "", "GET / HTTP/1.1\r\n\r\n\x00\x00GET / HTTP/1.1\r\n\r\n",
		"start 0; head GET / none 18; end 18; broken 18 not an HTTP/1 start line", false},

	{"length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcHTTP/1.1 204 No Content\r\n\r\n",
		"start 0; head 200 length 38; body 38-41; end 41; start 41; head 204 none 68; end 68", false},
	{"length zero", "GET", "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n",
		"start 0; head 202 length 44; end 44", false},
	{"length twice", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\ncontent-length:3\r\n\r\nabc",
		"start 0; head 200 length 59; body 59-62; end 62", false},
	{"lengths differ", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
		"start 0; head 200 faulty 57; broken 57 contradicting body framing", false},
	{"length no number", "GET", "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc",
		"start 0; head 200 faulty 39; broken 39 contradicting body framing", false},
	{"length beyond int64", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775808\r\n\r\nabc",
		"start 0; head 200 faulty 56; broken 56 contradicting body framing", false},
	{"coding and length", "GET", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n",
		"start 0; head 200 chunked 67; body 70-71; end 78", false},
	{"chunks", "POST", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, Chunked\r\n\r\nA \r\n0123456789\r\n0003;ext=\"v\"\r\nabc\r\n0\r\nGrpc: 1\r\nB: 2\r\n\r\nHTTP/1.1 200 OK\r\n",
		"start 0; head 200 chunked 53; body 57-67; body 83-86; end 108; start 108", false},
	{"chunks with bare LF", "POST", "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n2\nab\n0\n\n",
		"start 0; head 200 chunked 44; body 46-48; end 52", false},
	{"chunk size wrong", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
		"start 0; head 200 chunked 47; broken 47 not a chunk size", false},
	{"chunk size negative", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n",
		"start 0; head 200 chunked 47; broken 47 not a chunk size", false},
	{"chunk size empty", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\r\n",
		"start 0; head 200 chunked 47; broken 47 not a chunk size", false},
	{"chunk size overflows", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000000\r\n",
		"start 0; head 200 chunked 47; broken 47 not a chunk size", false},
	{"chunk longer than its size", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
		"start 0; head 200 chunked 47; body 50-51; broken 51 transfer chunk longer than its size", false},
	{"chunk followed by CR alone", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\rb",
		"start 0; head 200 chunked 47; body 50-51; broken 51 transfer chunk longer than its size", false},
	{"cut in a chunk", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nabc",
		"start 0; head 200 chunked 47; body 51-54", true},
	{"last chunk without its empty line", "POST", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
		"start 0; head 200 chunked 47", true},
	{"close", "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
		"start 0; head 200 close 38; body 38-57; end 57", true},
	{"close, open", "GET", "HTTP/1.0 200 OK\r\n\r\nabc", "start 0; head 200 close 19; body 19-22", false},
	{"close by foreign coding", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\nContent-Length: 1\r\n\r\nabc",
		"start 0; head 200 close 63; body 63-66; end 66", true},
	{"identity coding", "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\nContent-Length: 1\r\n\r\na",
		"start 0; head 200 length 67; body 67-68; end 68", false},
	{"head", "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
		"start 0; head 200 none 39; end 39; start 39; head 200 none 86; end 86", false},
	{"not modified", "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n",
		"start 0; head 304 none 49; end 49", false},
	{"interim", "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
		"start 0; head 100 none 25; end 25; start 25; head 103 none 62; end 62; start 62; head 200 length 100; body 100-101; end 101", false},
	{"no reason", "GET", "HTTP/1.1 204\r\n\r\n", "start 0; head 204 none 16; end 16", false},
	{"empty reason", "GET", "HTTP/1.1 204 \r\n\r\n", "start 0; head 204 none 17; end 17", false},
	{"cut in the start line", "GET", "HTTP/1", "start 0", true},
	{"no response", "GET", "HTTQ", "start 0; broken 0 not an HTTP/1 start line", false},
	{"status of four digits", "GET", "HTTP/1.1 2000 OK\r\n\r\n", "start 0; broken 0 not an HTTP/1 start line", false},
	{"http2 version", "GET", "HTTP/2 200\r\n\r\n", "start 0; broken 0 not an HTTP/1 start line", false},
}

func TestMessages(t *testing.T) {
	for _, m := range messages {
		t.Run(m.name, func(t *testing.T) {
			check := func(split string, pieces ...string) {
				t.Helper()
				p, got := newParser(m.in, m.method)
				for _, b := range pieces {
					if n := p.Write([]byte(b)); n != len(b) {
						t.Fatalf("%s: wrote %d of %d", split, n, len(b))
					}
				}
				if m.eof {
					p.EOF()
				}
				ok := got.String() == m.want
				if split != "whole" && strings.Contains(m.want, "broken") {
					ok = strings.HasPrefix(got.String(), m.want) // then a head is looked for in each Write
				}
				if !ok {
					t.Fatalf("%s:\n got %s\nwant %s", split, got, m.want)
				}
				if p.Offset() != int64(len(m.in)) {
					t.Fatalf("%s: offset %d", split, p.Offset())
				}
			}
			check("whole", m.in)
			check("byte by byte", strings.Split(m.in, "")...)
			for i := range m.in {
				check(fmt.Sprint("cut at ", i), m.in[:i], m.in[i:])
			}
		})
	}
}

func TestHeadFields(t *testing.T) {
	in := "HTTP/1.1 200 Very OK\r\nA: 1\r\nfolded: x\r\n  y\r\n\tz \r\nNo colon here\r\n lost\r\n: no name\r\nsp : v\r\na:2\r\nEmpty:\r\n\r\nrest"
	h, n, err := ParseHead([]byte(in), false)
	if err != nil || in[n:] != "rest" {
		t.Fatalf("n %d, err %v", n, err)
	}
	want := []Field{{"A", "1"}, {"folded", "x y z"}, {"sp", "v"}, {"a", "2"}, {"Empty", ""}}
	if fmt.Sprint(h.Fields) != fmt.Sprint(want) {
		t.Errorf("got %q, want %q", h.Fields, want)
	}
	if h.Dropped != 3 || h.Reason != "Very OK" || h.Proto != "HTTP/1.1" {
		t.Errorf("got %+v", h)
	}
	if h.Get("a") != "1" || len(h.Values("A")) != 2 || !h.Has("EMPTY") || h.Has("b") || h.Get("b") != "" {
		t.Error("field access")
	}
	for i := range n {
		if _, _, err := ParseHead([]byte(in[:i]), false); err != ErrIncomplete {
			t.Fatalf("cut at %d: %v", i, err)
		}
	}
}

func TestTrailersAndConflict(t *testing.T) {
	in := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n1\r\na\r\n0\r\nX: 1\r\nY: 2\r\n\r\n"
	p, tr := newParser(in, "GET")
	p.Write([]byte(in))
	h := tr.heads[0]
	if !h.Conflict || len(h.Trailers) != 2 || h.Trailers[1] != (Field{"Y", "2"}) {
		t.Errorf("got %+v", h)
	}
}

func TestUpgrade(t *testing.T) {
	for _, tt := range []struct{ method, head string }{
		{"GET", "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"},
		{"CONNECT", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"},
	} {
		in := tt.head + "\x81\x05hello"
		for cut := range in {
			p, tr := newParser(in, tt.method)
			n := p.Write([]byte(in[:cut]))
			n += p.Write([]byte(in[n:]))
			if n != len(tt.head) || !strings.HasSuffix(tr.String(), fmt.Sprint("end ", n)) {
				t.Fatalf("%s cut at %d: %d bytes consumed of %d: %s", tt.method, cut, n, len(tt.head), tr)
			}
			p.Missing(4)
			p.EOF()
			if p.Write([]byte("x")) != 0 || p.Idle() || p.Offset() != int64(n) {
				t.Fatal("something consumed after the upgrade")
			}
		}
	}
}

func TestMissing(t *testing.T) {
	const length = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n" // 39 bytes
	const chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name   string
		before string
		n      int64
		after  string
		want   string
	}{
		{"in a length body", length + "ab", 3, "fghij", "start 0; head 200 length 39; body 39-41; lost 41-44; body 44-49; end 49"},
		{"to the end of a length body", length + "ab", 8, "HTTP/1.1 204 X\r\n\r\n",
			"start 0; head 200 length 39; body 39-41; lost 41-49; end 49; start 49; head 204 none 67; end 67"},
		{"past a length body", length + "ab", 9, "HTTP/1.1 204 X\r\n\r\n",
			"start 0; head 200 length 39; body 39-41; lost 41-49; end 49; broken 49 bytes missing outside a body; start 50; head 204 none 68; end 68"},
		{"in a chunk", chunked + "5\r\na", 3, "e\r\n0\r\n\r\n", "start 0; head 200 chunked 47; body 50-51; lost 51-54; body 54-55; end 62"},
		{"to the end of a chunk", chunked + "5\r\na", 4, "\r\n0\r\n\r\n", "start 0; head 200 chunked 47; body 50-51; lost 51-55; end 62"},
		{"past a chunk", chunked + "5\r\na", 5, "\n0\r\n\r\n", "start 0; head 200 chunked 47; body 50-51; lost 51-55; broken 55 bytes missing outside a body"},
		{"in a chunk size", chunked + "5", 1, "\na", "start 0; head 200 chunked 47; broken 48 bytes missing outside a body"},
		{"in a close body", "HTTP/1.1 200 OK\r\n\r\na", 1 << 40, "b", "start 0; head 200 close 19; body 19-20; lost 20-1099511627796; body 1099511627796-1099511627797"},
		{"in a head", "HTTP/1.1 200 OK\r\nCont", 2, "nt-Length: 0\r\n\r\n", "start 0; broken 21 bytes missing outside a body"},
		{"between messages", "HTTP/1.1 204 X\r\n\r\n", 100, "HTTP/1.1 204 X\r\n\r\n",
			"start 0; head 204 none 18; end 18; broken 18 bytes missing outside a body; start 118; head 204 none 136; end 136"},
		{"at the start", "", 7, "HTTP/1.1 204 X\r\n\r\n", "broken 0 bytes missing outside a body; start 7; head 204 none 25; end 25"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, tr := newParser("", "GET")
			tr.in = nil
			p.Write([]byte(tt.before))
			p.Missing(0)
			p.Missing(tt.n)
			p.Write([]byte(tt.after))
			if tr.String() != tt.want {
				t.Errorf("\n got %s\nwant %s", tr, tt.want)
			}
		})
	}
}

func TestResync(t *testing.T) {
	const head = "HTTP/1.1 204 No Content\r\nA: b\r\n\r\n"
	at := func(off int) string {
		return fmt.Sprintf("start %d; head 204 none %d; end %d", off, off+len(head), off+len(head))
	}
	for _, tt := range []struct {
		name   string
		writes []string
		want   string
	}{
		{"at once", []string{head}, at(0)},
		{"behind the rest of a body", []string{"rest of a body\r\n", head}, at(16)},
		{"not within a body", []string{"data: x\r\n" + head}, ""},
		{"head in pieces", []string{"junk", "HT", "TP/1.1 204 No Content\r", "\nA: b\r\n", "\r\n"}, at(4)},
		{"head byte by byte", append([]string{"junk"}, strings.Split(head, "")...), at(4)},
		{"text that begins like a head", []string{"HTTP/1.1 200 OK, it said\r\nand nothing more\r\n", head}, at(44)},
		{"text that begins like a head and goes on", []string{"HTTP/1.1 200 OK\r\n", "HTTP/1.1 204 No Content\r\n", "A: b\r\n\r\n"}, at(17)},
		{"head and body", []string{"x", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab" + head},
			"start 1; head 200 length 39; body 39-41; end 41; " + at(41)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, tr := newParser("", "GET")
			tr.in = nil
			p.Resync()
			for _, b := range tt.writes {
				p.Write([]byte(b))
			}
			if tr.String() != tt.want {
				t.Errorf("\n got %s\nwant %s", tr, tt.want)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	const start = "GET / HTTP/1.1\r\n"
	const chunked = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct{ name, in, want string }{
		{"long field", start + "A: " + strings.Repeat("x", MaxHead), "broken 0 head longer"},
		{"many bytes of fields", start + strings.Repeat("A: "+strings.Repeat("x", 250)+"\r\n", MaxHead/250), "broken 0 head longer"},
		{"many fields", start + strings.Repeat("A:\r\n", MaxFields+1) + "\r\n", "broken 0 more than 2000"},
		{"long target", "GET /" + strings.Repeat("x", MaxHead), "broken 0 head longer"},
		{"long method", strings.Repeat("X", 1000), "broken 0 not an"},
		{"long chunk extension", chunked + "1;" + strings.Repeat("x", MaxChunkLine), "broken 47 chunk-size line"},
		{"long trailers", chunked + "0\r\nA: " + strings.Repeat("x", MaxHead), "broken 50 trailer section"},
		{"many trailers", chunked + "0\r\n" + strings.Repeat("A:\r\n", MaxFields+1) + "\r\n", "broken 50 more than 2000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, step := range []int{1, 4000, len(tt.in)} {
				p, tr := newParser(tt.in, "")
				for rest := tt.in; rest != ""; {
					n := min(step, len(rest))
					p.Write([]byte(rest[:n]))
					rest = rest[n:]
					if cap(p.buf) > 2*MaxHead {
						t.Fatalf("buffer of %d bytes", cap(p.buf))
					}
				}
				if !strings.Contains(tr.String(), tt.want) || strings.Count(tr.String(), "broken") != 1 {
					t.Fatalf("step %d: %s", step, tr)
				}
			}
		})
	}
}

func TestSpans(t *testing.T) {
	in := "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n3\r\ncde\r\n0\r\n\r\n"
	head, end, spans, complete := Spans([]byte(in), false, "POST")
	if head.Status != 200 || end != 72 || fmt.Sprint(spans) != "[[75 77] [82 85]]" || !complete {
		t.Errorf("got %v %d %v %v", head, end, spans, complete)
	}
	for n := range in {
		if head, end, _, complete := Spans([]byte(in[:n]), false, "POST"); complete || (head != nil) != (n >= 72) || (end != 0) != (n >= 72) {
			t.Errorf("cut at %d: %v %d %v", n, head, end, complete)
		}
	}
	if _, _, spans, complete := Spans([]byte("HTTP/1.1 200 OK\r\n\r\nabc"), false, "GET"); complete || len(spans) != 1 {
		t.Error("close framing", spans, complete)
	}
}
