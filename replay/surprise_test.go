package replay_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"testing"

	"mcptrace/capture"
	"mcptrace/replay"
)

func TestSurprises(t *testing.T) {
	answer := `data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}` + "\n\n"
	chunk := fmt.Sprintf("%x\r\n%s", len(answer), answer)
	head := sseHead + "Transfer-Encoding: chunked\r\n\r\n"
	foreign := `data: {"jsonrpc":"2.0","id":99,"result":{}}` + "\n\n"
	gz := zipped(answer, true)
	gzHead := sseHead + "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
	gzChunk := fmt.Sprintf("%x\r\n%s\r\n", len(gz), gz)
	const fin, rst = capture.FIN, capture.RST
	for _, c := range []struct {
		name, policy, method string
		modern               bool
		how                  capture.How
		parts                []part
		want                 replay.Verdict
		returned             int // ms, -1: not asked
	}{
		{"no early return: the hold is paid", "ruby-mcp-client-3.0", "tools/call", true, fin, []part{{ms, head + chunk + "\r\n"}, {500 * ms, "0\r\n\r\n"}}, replay.Settled, 500},
		{"no early return: a hold beyond the timeout is salvaged", "ruby-mcp-client-3.0", "tools/call", true, fin, []part{{ms, head + chunk + "\r\n"}, {40_000 * ms, "0\r\n\r\n"}}, replay.Salvaged, 30_000},
		{"… and lost in the legacy era", "ruby-mcp-client-3.0", "tools/call", false, fin, []part{{ms, head + chunk + "\r\n"}, {40_000 * ms, "0\r\n\r\n"}}, replay.Dropped, 30_000},
		{"salvage is for the modern era", "ruby-mcp-client-3.0", "tools/call", true, rst, []part{{ms, head + chunk + "\r\n"}}, replay.Salvaged, 1},
		{"… only", "ruby-mcp-client-3.0", "tools/call", false, rst, []part{{ms, head + chunk + "\r\n"}}, replay.Dropped, 1},
		{"… and 2.1 has none", "ruby-mcp-client-2.1", "tools/call", true, rst, []part{{ms, head + chunk + "\r\n"}}, replay.Dropped, 1},
		{"a salvaged answer needs no line end of its chunk", "ruby-mcp-client-3.0", "tools/call", true, rst, []part{{ms, head + chunk}}, replay.Salvaged, 1},
		{"a stray id runs the call again", "ruby-mcp-client-3.0", "tools/call", true, fin, []part{{ms, head + chunked(foreign, 1000)}}, replay.Reissued, -1},
		{"the early return needs the chunk's line end", "ruby-sdk-1.3", "tools/call", false, rst, []part{{ms, head + chunk}}, replay.Dropped, 1},
		{"… and with it is safe", "ruby-sdk-1.3", "tools/call", false, rst, []part{{ms, head + chunk + "\r\n"}}, replay.Settled, 1},
		{"… or waits for it", "ruby-sdk-1.3", "tools/call", false, fin, []part{{ms, head + chunk}, {700 * ms, "\r\n0\r\n\r\n"}}, replay.Settled, 700},
		{"initialize is read to its end", "ruby-sdk-1.3", "initialize", false, fin, []part{{ms, head + chunk + "\r\n"}, {900 * ms, "0\r\n\r\n"}}, replay.Settled, 900},
		{"… unless changed", "ruby-sdk-early-initialize", "initialize", false, fin, []part{{ms, head + chunk + "\r\n"}, {900 * ms, "0\r\n\r\n"}}, replay.Settled, 1},
		{"gzip defeats the early return", "ruby-sdk-early-initialize", "tools/call", false, rst, []part{{ms, gzHead + gzChunk}}, replay.Dropped, 1},
		{"no id is compared", "ruby-sdk-1.3", "tools/call", false, fin, []part{{ms, head + chunked(foreign, 1000)}}, replay.Guessed, 1},
		{"a lost stream is waited for", "typescript-sdk", "tools/call", false, rst, []part{{ms, head + "5\r\n: k\n\n\r\n"}}, replay.Hung, 60_000},
		{"gzip is read as it comes", "typescript-sdk", "tools/call", false, rst, []part{{ms, gzHead + gzChunk}}, replay.Settled, 1},
		{"a pending event is taken at a clean end", "go-sdk", "tools/call", false, fin, []part{{ms, head + chunked(answer[:len(answer)-1], 1000)}}, replay.Guessed, 1},
		{"… and at no other", "go-sdk", "tools/call", false, rst, []part{{ms, head + chunk[:len(chunk)-1]}}, replay.Failed, 1},
		{"a head that ends early is a head", "ruby-mcp-client-3.0", "tools/call", true, fin, []part{{ms, "HTTP/1.1 200 OK\r\n"}}, replay.Failed, 1},
		{"… but not inside a field name", "ruby-mcp-client-3.0", "tools/call", true, fin, []part{{ms, "HTTP/1.1 200 OK\r\nConte"}}, replay.Reissued, -1},
	} {
		t.Run(c.policy+"/"+c.name, func(t *testing.T) {
			e := madeCall(c.method, "1", c.modern, c.how, c.parts[len(c.parts)-1].at, c.parts...)
			ps, err := replay.Find([]string{c.policy})
			if err != nil {
				t.Fatal(err)
			}
			o := replay.Run(e.ex, e.rd, ps[0], e.last, replay.Options{})
			if o.Verdict != c.want {
				t.Errorf("%s (%s), want %s", o.Verdict, o.Why, c.want)
			}
			if got := int(o.Returned / ms); c.returned >= 0 && got != c.returned {
				t.Errorf("returned after %d ms, want %d", got, c.returned)
			}
		})
	}
}

// zipped compresses text; open leaves out the end of the stream.
func zipped(text string, open bool) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Flush()
	if n := b.Len(); open {
		return b.String()[:n]
	}
	z.Close()
	return b.String()
}

// A policy says per exchange why, in a sentence, and states whose it is.
func TestPoliciesSayWhy(t *testing.T) {
	for _, p := range replay.Policies() {
		if p.Doc == "" || p.Client == "" || p.Source == "" || p.NeedsBytes() == p.Generic || p.NeedsBytes() && p.Checked == "" {
			t.Errorf("%s does not say whose it is, by what source, how checked", p.Name)
		}
		for _, s := range scripts(t) {
			if o := modelSays(t, s.wire, s.how, p.Name); o.Why == "" || o.Why[len(o.Why)-1] != '.' || o.Next == "" || o.Policy != p.Name {
				t.Errorf("%s, %s: %+v", s.name, p.Name, o)
			}
		}
	}
}
