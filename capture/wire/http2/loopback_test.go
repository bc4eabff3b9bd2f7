package http2

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// tap is a client's connection that keeps the bytes of both directions.
type tap struct {
	net.Conn
	mu             sync.Mutex
	client, server []string // as written, as read
}

func (c *tap) Write(p []byte) (int, error) {
	c.mu.Lock()
	c.client = append(c.client, string(p))
	c.mu.Unlock()
	return c.Conn.Write(p)
}

func (c *tap) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.mu.Lock()
	if n > 0 {
		c.server = append(c.server, string(p[:n]))
	}
	c.mu.Unlock()
	return n, err
}

// talk has do talk to h over one HTTP/2 connection without TLS and returns the pieces of both directions.
func talk(t *testing.T, h http.HandlerFunc, do func(*http.Client, string)) (client, server []string) {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	srv := httptest.NewUnstartedServer(h)
	srv.Config.Protocols = &protocols
	srv.Config.ErrorLog = nil
	srv.Start()
	defer srv.Close()

	var conn *tap
	transport := &http.Transport{Protocols: &protocols, DisableCompression: true}
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		c, err := new(net.Dialer).DialContext(ctx, network, addr)
		if conn != nil {
			t.Error("a second connection")
		}
		conn = &tap{Conn: c}
		return conn, err
	}
	do(&http.Client{Transport: transport}, srv.URL)
	transport.CloseIdleConnections()
	conn.mu.Lock()
	defer conn.mu.Unlock()
	return conn.client, conn.server
}

// conversation is a few exchanges of a real client and a real server: a stream, trailers, a large body both ways, large
// header fields (CONTINUATION), a stream the server breaks off, and one the client cancels.
func conversation(t *testing.T) (client, server []string) {
	large := strings.Repeat(`{"jsonrpc":"2.0","method":"ping"}`+"\n", 5000)
	wide := strings.Repeat("abcdefgh", 5000)
	canceled := make(chan struct{})
	handler := func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // a response that ends before its request would let the client drop the rest of it
		switch r.URL.Path {
		case "/sse":
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("Mcp-Session-Id", "1868a90c")
			w.Header().Set("Trailer", "X-Done")
			for i := range 20 {
				fmt.Fprintf(w, "id: %d\ndata: {\"jsonrpc\":\"2.0\",\"id\":%d,\"result\":{}}\n\n", i, i)
				w.(http.Flusher).Flush()
			}
			w.Header().Set("X-Done", "yes")
		case "/echo":
			w.WriteHeader(http.StatusAccepted)
			w.Write(body)
		case "/wide":
			w.Header().Set("X-Wide", r.Header.Get("X-Wide"))
		case "/broken", "/canceled":
			io.WriteString(w, "data: {\"jsonrpc\"")
			w.(http.Flusher).Flush()
			if r.URL.Path == "/canceled" {
				<-r.Context().Done()
				close(canceled)
			}
			panic(http.ErrAbortHandler)
		}
	}
	return talk(t, handler, func(c *http.Client, url string) {
		post := func(ctx context.Context, path, body string, head ...string) *http.Response {
			r, err := http.NewRequestWithContext(ctx, "POST", url+path, strings.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			for i := 0; i < len(head); i += 2 {
				r.Header.Set(head[i], head[i+1])
			}
			resp, err := c.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}
		for _, path := range []string{"/sse", "/broken", "/sse"} {
			resp := post(context.Background(), path, `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, "Accept", "text/event-stream", "Mcp-Session-Id", "1868a90c")
			io.Copy(io.Discard, resp.Body)
		}
		resp := post(context.Background(), "/echo", large)
		if body, err := io.ReadAll(resp.Body); string(body) != large {
			t.Fatalf("echo: %d bytes, %v", len(body), err)
		}
		resp = post(context.Background(), "/wide", "", "X-Wide", wide)
		if resp.Header.Get("X-Wide") != wide {
			t.Fatal("wide header field")
		}
		ctx, cancel := context.WithCancel(context.Background())
		resp = post(ctx, "/canceled", "x")
		io.ReadFull(resp.Body, make([]byte, 5))
		cancel()
		resp.Body.Close()
		<-canceled
		resp = post(context.Background(), "/sse", "the end")
		io.Copy(io.Discard, resp.Body)
	})
}

func TestLoopback(t *testing.T) {
	client, server := conversation(t)
	c, s := read(t, true, client...), read(t, false, server...)
	for name, l := range map[string]*log{"client": c, "server": s} {
		if len(l.lost) > 0 {
			t.Errorf("%s: lost %v", name, l.lost)
		}
		for _, f := range l.frames {
			if !f.whole {
				t.Errorf("%s: not whole: %s", name, f.text)
			}
		}
	}
	for _, want := range []string{
		"headers 1 :authority=", "mcp-session-id=1868a90c;", ":path=/canceled;", "reset 11 CANCEL", "settings ack=true",
		`data 1 "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}" end=true`,
		"x-wide=" + strings.Repeat("abcdefgh", 5000),
	} {
		if !strings.Contains(c.String(), want) {
			t.Errorf("client: no %.80s in\n%.3000s", want, c)
		}
	}
	for _, want := range []string{
		"headers 1 :status=200;", "x-done=yes; end=true", "headers 7 :status=202;", "reset 3 INTERNAL_ERROR",
		`data 13 "id: 19\ndata: {\"jsonrpc\":\"2.0\",\"id\":19,\"result\":{}}\n\n" end=false`,
		"x-wide=" + strings.Repeat("abcdefgh", 5000),
	} {
		if !strings.Contains(s.String(), want) {
			t.Errorf("server: no %.80s in\n%.3000s", want, s)
		}
	}
	if c.data[7] != s.data[7] || len(c.data[7]) != 170000 {
		t.Errorf("echo: %d bytes there, %d back", len(c.data[7]), len(s.data[7]))
	}
}

func TestLoopbackSplits(t *testing.T) {
	client, server := conversation(t)
	for _, d := range []struct {
		fromClient bool
		pieces     []string
	}{{true, client}, {false, server}} {
		want := read(t, d.fromClient, d.pieces...).String()
		splits(strings.Join(d.pieces, ""), func(how string, pieces ...string) {
			if got := read(t, d.fromClient, pieces...).String(); got != want {
				t.Fatalf("%s: %d and %d bytes of log", how, len(got), len(want))
			}
		})
	}
}

func BenchmarkReader(b *testing.B) {
	w := newBlockWriter()
	var buf bytes.Buffer
	buf.WriteString(frameBytes(frameHeaders, flagEndHeaders, 1, w.block(":status", "200", "content-type", "text/event-stream")))
	for range 1000 {
		buf.WriteString(frameBytes(frameData, 0, 1, strings.Repeat("x", 1000)))
	}
	b.SetBytes(int64(buf.Len()))
	b.ReportAllocs()
	for b.Loop() {
		r := NewReader(discard{}, false)
		for p := buf.Bytes(); len(p) > 0; {
			n := min(1460, len(p))
			r.Write(p[:n])
			p = p[n:]
		}
	}
}

type discard struct{ Handler }

func (discard) Headers(uint32, []Field, bool, int64, int64, bool) {}
func (discard) Data(uint32, []byte, int64, int64, int64)          {}
func (discard) DataEnd(uint32, bool, int64)                       {}
