package capture

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
)

// gather plays a talk to an Assembly with that limit of a message and returns what came of it.
func gather(most int64, parts ...talk) (a *Assembly, out []*Exchange) {
	a = &Assembly{MaxMessage: most, Sink: func(ex *Exchange) { out = append(out, ex) }}
	tell(a, parts, 16<<10, nil)
	return a, out
}

// jsonResponse is a response with a JSON body.
func jsonResponse(body string, header ...string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", strings.Join(header, ""), len(body), body)
}

func post(body string) string {
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
}

const someResult = `{"jsonrpc":"2.0","id":1,"result":{}}`

// TestLimits: at a limit all is whole; one beyond it something is cut off, which is counted and leaves open what it hid.
func TestLimits(t *testing.T) {
	bomb := func(n int) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		w.Write([]byte(someResult))
		w.Write(bytes.Repeat([]byte(" "), n-len(someResult)))
		w.Close()
		return b.String()
	}
	deep := func(n int) string {
		return `{"jsonrpc":"2.0","id":1,"result":` + strings.Repeat("[", n-1) + strings.Repeat("]", n-1) + "}"
	}
	head := func(n int) string {
		const h = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 36\r\nX: "
		return h + strings.Repeat("x", n-len(h)-4) + "\r\n\r\n" + someResult
	}
	for _, c := range []struct {
		name     string
		limit    int
		most     int64 // MaxMessage
		response func(n int) string
	}{
		{"bytes of a message", 4096, 4096, func(n int) string {
			return jsonResponse(someResult + strings.Repeat(" ", n-len(jsonResponse(strings.Repeat(" ", 1000)))+1000-len(someResult)))
		}},
		{"bytes of a head", http1.MaxHead, 0, head},
		{"depth of JSON", jsonrpc.MaxDepth, 0, func(n int) string { return jsonResponse(deep(n)) }},
		{"bytes that a coding unpacks to", maxDecoded, 0, func(n int) string { return jsonResponse(bomb(n), "Content-Encoding: gzip\r\n") }},
	} {
		if c.limit == maxDecoded && testing.Short() {
			continue // it takes its time
		}
		for over := range 2 {
			a, exs := gather(c.most, talk{Client, getRequest}, talk{Server, c.response(c.limit + over)})
			if len(exs) != 1 {
				t.Errorf("%s: %d exchanges", c.name, len(exs))
				continue
			}
			r := Read(exs[0])
			whole := len(r.Messages) == 1 && r.Messages[0].Level == LevelDispatched && !r.Messages[0].Holed
			if counted := a.Cuts() + r.Limited; counted != over || r.Cut != (over == 1) || r.Holed != r.Cut || whole == r.Cut {
				t.Errorf("%s, %d over: %d counted, %+v", c.name, over, counted, r)
			}
			if r.Odd != 0 {
				t.Errorf("%s, %d over: oddities %b are blamed on the server", c.name, over, r.Odd)
			}
			exs[0].Release()
		}
	}
}

// TestRequestLimits: a request beyond a limit is no bad request.
func TestRequestLimits(t *testing.T) {
	for over := range 2 {
		deep := strings.Repeat("[", jsonrpc.MaxDepth-1+over) + strings.Repeat("]", jsonrpc.MaxDepth-1+over)
		_, exs := gather(0, talk{Client, post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + deep + "}")}, talk{Server, jsonResponse(someResult)})
		r := Read(exs[0])
		if r.RequestBad || len(r.Calls) != 1 || r.Calls[0].Method != "tools/call" || r.Limited != over || r.RequestWhole == (over == 1) {
			t.Errorf("%d over: %+v", over, r)
		}
	}
}

// TestMessageLimit: of a stream with many notifications the answer is kept.
func TestMessageLimit(t *testing.T) {
	note := "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"
	for over := range 2 {
		body := strings.Repeat(note, maxMessages+over) + "data: " + someResult + "\n\n"
		_, exs := gather(0, talk{Client, getRequest}, talk{Server, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" +
			fmt.Sprintf("Content-Length: %d\r\n\r\n", len(body)) + body})
		r := Read(exs[0])
		if r.Limited != over || len(r.Messages) != maxMessages+1 || !r.Messages[maxMessages].IsResponse() || r.Holed {
			t.Errorf("%d over: %d messages, %d left out", over, len(r.Messages), r.Limited)
		}
	}
}

// TestPipelineLimit: where only requests are seen, the oldest are given up.
func TestPipelineLimit(t *testing.T) {
	for over := range 2 {
		a, exs := gather(0, talk{Client, strings.Repeat(getRequest, maxQueue+over)})
		if len(exs) != maxQueue+over || a.Cuts() != over {
			t.Errorf("%d over: %d exchanges, %d cuts", over, len(exs), a.Cuts())
		}
	}
}

// h2Talk writes frames of both sides as parts of a talk.
type h2Talk struct {
	parts []talk
	buf   bytes.Buffer
	fr    *http2.Framer
	enc   [2]*hpack.Encoder
	block bytes.Buffer
}

func newH2Talk() *h2Talk {
	k := &h2Talk{parts: []talk{{Client, http2.ClientPreface}}}
	k.fr = http2.NewFramer(&k.buf, nil)
	k.enc[Client], k.enc[Server] = hpack.NewEncoder(&k.block), hpack.NewEncoder(&k.block)
	return k
}

func (k *h2Talk) say(from Side) {
	k.parts = append(k.parts, talk{from, k.buf.String()})
	k.buf.Reset()
}

// headers sends a header block, in as many frames as it takes.
func (k *h2Talk) headers(from Side, id uint32, end bool, fields ...string) {
	k.block.Reset()
	for i := 0; i < len(fields); i += 2 {
		k.enc[from].WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1], Sensitive: len(fields[i+1]) > 100})
	}
	const frame = 16 << 10
	b := k.block.Bytes()
	n := min(frame, len(b))
	k.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: b[:n], EndStream: end, EndHeaders: n == len(b)})
	for b = b[n:]; len(b) > 0; b = b[n:] {
		n = min(frame, len(b))
		k.fr.WriteContinuation(id, n == len(b), b[:n])
	}
	k.say(from)
}

func (k *h2Talk) request(id uint32) {
	k.headers(Client, id, true, ":method", "POST", ":scheme", "https", ":path", "/mcp")
}

// TestStreamLimit: with more open streams than are followed the oldest is given up.
func TestStreamLimit(t *testing.T) {
	for over := range 2 {
		k := newH2Talk()
		for i := range maxStreams + over {
			k.request(uint32(2*i + 1))
		}
		a, exs := gather(0, k.parts...)
		if len(exs) != maxStreams+over || a.Cuts() != over || exs[0].Stream != 1 || exs[0].Ending.Kind != EndOpen {
			t.Errorf("%d over: %d exchanges, %d cuts", over, len(exs), a.Cuts())
		}
	}
}

// TestHeaderListLimit: a header list beyond 1 MiB, and trailers beyond http1.MaxFields, are cut off.
func TestHeaderListLimit(t *testing.T) {
	const fixed = len(":status") + len("200") + 32 + len("x") + 32
	for over := range 2 {
		k := newH2Talk()
		k.request(1)
		k.headers(Server, 1, false, ":status", "200", "x", strings.Repeat("~", 1<<20-fixed-20+over*21))
		k.headers(Server, 1, true)
		a, exs := gather(0, k.parts...)
		if len(exs) != 1 || exs[0].Response.Cut != (over == 1) || a.Cuts() != over {
			t.Errorf("list, %d over: %d cuts, %+v", over, a.Cuts(), exs[0].Response.Cut)
		}
		k = newH2Talk()
		k.request(1)
		k.headers(Server, 1, false, ":status", "200")
		for range http1.MaxFields + over {
			k.headers(Server, 1, false, "t", "1")
		}
		k.headers(Server, 1, true)
		a, exs = gather(0, k.parts...)
		if len(exs) != 1 || exs[0].Response.Cut != (over == 1) || len(exs[0].Response.Head.Trailers) != http1.MaxFields {
			t.Errorf("trailers, %d over: %d cuts, %d fields", over, a.Cuts(), len(exs[0].Response.Head.Trailers))
		}
	}
}

// TestEndpointLimit: beyond the limit an endpoint is not remembered, but what proves itself is MCP still; those that were
// known before stay known.
func TestEndpointLimit(t *testing.T) {
	const fit = 128
	path := func(i int) string {
		return fmt.Sprintf("/%0*d", endpointBytes/fit-endpointCost-1, i)
	}
	proof := func(i int) []talk {
		return []talk{{Client, strings.Replace(post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`), "/mcp", path(i), 1)},
			{Server, jsonResponse(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)}}
	}
	plain := func(i int) []talk {
		return []talk{{Client, "GET " + path(i) + "?x HTTP/1.1\r\nHost: h\r\n\r\n"}, {Server, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n"}}
	}
	for over := range 2 {
		var out []string
		r := &Recognizer{Out: func(ex *Exchange, _ *Reading) { out = append(out, ex.Request.Head.Method) }}
		a := &Assembly{Sink: r.Add}
		var parts []talk
		last := fit - 1 + over
		for i := range last + 1 {
			parts = append(parts, proof(i)...)
		}
		parts = append(append(parts, plain(last)...), plain(0)...)
		tell(a, parts, 64<<10, nil)
		r.Close()
		other, _ := r.Other()
		if len(out) != last+1+2-over || out[len(out)-1] != "GET" || other != over || a.Cuts()+r.Cuts() != over {
			t.Errorf("%d over: %d of %d handed on, %d other, %d cuts", over, len(out), last+3, other, r.Cuts())
		}
	}
}

// TestHeldCut: a message is counted once, whether a limit cut it before its endpoint proved to be MCP or it was held without
// its body until then.
func TestHeldCut(t *testing.T) {
	page := strings.Repeat("<p>x</p>", pendingBody/8)
	html := fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s", len(page), page)
	get := "GET /mcp HTTP/1.1\r\nHost: h\r\n\r\n"
	proof := []talk{{Client, post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)}, {Server, jsonResponse(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)}}
	for _, most := range []int64{0, pendingBody, 2000} {
		out := 0
		r := &Recognizer{Out: func(ex *Exchange, _ *Reading) { out++ }}
		a := &Assembly{Sink: r.Add, MaxMessage: most}
		tell(a, append([]talk{{Client, get}, {Server, html}}, proof...), 16<<10, nil)
		r.Close()
		if n := a.Cuts() + r.Cuts(); out != 2 || n != 1 {
			t.Errorf("at most %d bytes: %d handed on, %d and %d cuts", most, out, a.Cuts(), r.Cuts())
		}
	}
}

// TestUndecidedLimit: exchanges let go before their endpoint proved to be MCP are counted, and are no other traffic.
func TestUndecidedLimit(t *testing.T) {
	for over := range 2 {
		out := 0
		r := &Recognizer{Out: func(ex *Exchange, _ *Reading) { out++ }}
		a := &Assembly{Sink: r.Add}
		var parts []talk
		for range pendingLimit + over {
			parts = append(parts, talk{Client, post(`{"id":1,"method":"x"}`)}, talk{Server, jsonResponse("{}")})
		}
		proof := post(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
		parts = append(parts, talk{Client, proof}, talk{Server, jsonResponse(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)})
		tell(a, parts, 16<<10, nil)
		r.Close()
		if other, _ := r.Other(); out != pendingLimit+1 || r.Cuts() != over || other != 0 {
			t.Errorf("%d over: %d handed on, %d let go, %d other", over, out, r.Cuts(), other)
		}
	}
}
