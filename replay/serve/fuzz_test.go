package serve

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net/http"
	"testing"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// FuzzRequests: what a client sends never harms, and how it is split does not matter.
func FuzzRequests(f *testing.F) {
	f.Add([]byte("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}GET /mcp HTTP/1.1\r\n\r\n"), 7)
	f.Add([]byte("POST /mcp HTTP/1.1\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"), 60)
	f.Add([]byte("PUT"), 1)
	f.Fuzz(func(t *testing.T, b []byte, cut int) {
		read := func(parts ...[]byte) []string {
			r := newRequests()
			for _, p := range parts {
				r.write(p)
				if r.bad {
					return []string{"bad"}
				}
			}
			var out []string
			for _, q := range r.out {
				m := &q.ex.Request
				var body []byte
				for _, s := range m.Body {
					body = append(body, m.Wire.Bytes(s.Start, s.End)...)
				}
				out = append(out, fmt.Sprintf("%s %s %q", m.Head.Method, m.Head.Target, body))
			}
			return out
		}
		if len(b) == 0 {
			return
		}
		cut = min(max(0, cut), len(b))
		whole, split := read(b), read(b[:cut], b[cut:])
		if fmt.Sprint(whole) != fmt.Sprint(split) {
			t.Errorf("whole %q, cut at %d %q", whole, cut, split)
		}
	})
}

// fixed is a resolver that gives every id the same value.
type fixed string

func (f fixed) value(kind siteKind, raw string) string {
	if kind == siteEndpoint {
		return raw
	}
	return string(f)
}
func (fixed) session(s string) string { return s }

// FuzzTake: a chunked stream with another id in it is a chunked stream with the same events but for that id, however the
// recorded bytes are asked for.
func FuzzTake(f *testing.F) {
	f.Add([]byte("data: {\"jsonrpc\":\"2.0\",\"id\":17,\"result\":{}}\n\n"), uint(29), uint(3), `"live"`)
	f.Add([]byte("data: {\"id\":17,\ndata: \"result\":{}}\r\n\r\nid: x\ndata: {\"method\":\"notifications/progress\",\"params\":{\"progressToken\":5}}\n\n"), uint(8), uint(1), "9")
	f.Fuzz(func(t *testing.T, body []byte, size, step uint, id string) {
		size, step = size%64+1, step%64+1
		if len(body) == 0 || len(body) > 4096 || len(id) == 0 || len(id) > 100 || bytes.ContainsAny([]byte(id), "\r\n") {
			return
		}
		wire := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
		for rest := body; len(rest) > 0; {
			n := min(int(size), len(rest))
			wire = fmt.Appendf(wire, "%x\r\n%s\r\n", n, rest[:n])
			rest = rest[n:]
		}
		wire = append(wire, "0\r\n\r\n"...)
		ex := &capture.Exchange{Conn: &capture.Conn{}}
		ex.Request = capture.Message{Head: &http1.Head{Method: "GET"}, Complete: true}
		m := &ex.Response
		m.Head, m.HeadEnd, m.Body, m.Complete = parse(wire, "GET")
		m.Wire, m.Chunks = capture.BlobOf(wire), []capture.Chunk{{}}
		rec := &Recording{}
		rec.Add(ex, capture.Read(ex))
		rec.ready()
		p := rec.planOf(rec.entries[0])
		play := func(step int64, as resolver) []byte {
			tk := newTake(p, as)
			defer tk.close()
			var out []byte
			for off := int64(0); off < p.stop; off += step {
				out = tk.bytes(out, off, min(off+step, p.stop))
			}
			return out
		}
		if got := play(int64(step), fixed(id)); !bytes.Equal(got, play(p.stop, fixed(id))) {
			t.Errorf("in steps of %d: %q", step, got)
		}
		got := play(p.stop, fixed(id))
		r, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(got)), nil)
		if err != nil {
			t.Fatal(err)
		}
		live, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatalf("%v in %q", err, got)
		}
		es := edits{}
		for _, s := range p.sites {
			es.add(edit{s.from, s.to, []byte(id)})
		}
		want := es.render(nil, 0, int64(len(body)), func(dst []byte, a, b int64) []byte { return append(dst, body[a:b]...) })
		if bytes.ReplaceAll(live, []byte(" "), nil) != nil && !bytes.Equal(bytes.ReplaceAll(live, []byte(" "), nil), bytes.ReplaceAll(want, []byte(" "), nil)) {
			t.Errorf("got %q, want %q", live, want)
		}
	})
}
