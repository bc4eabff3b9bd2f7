package replay_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptrace/capture"
	"mcptrace/replay"
)

// scripted answers one tools/call with the given bytes and ending, and everything else as a legacy server does.
type scripted struct {
	listener net.Listener
	wire     []byte
	how      replay.How
	gets     chan struct{} // a GET with Last-Event-ID came
	calls    chan struct{} // a tools/call came
}

func serveScript(t testing.TB, wire []byte, how replay.How) *scripted {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &scripted{l, wire, how, make(chan struct{}, 100), make(chan struct{}, 100)}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go s.serve(c.(*net.TCPConn))
		}
	}()
	t.Cleanup(func() { l.Close() })
	return s
}

func (s *scripted) url() string { return "http://" + s.listener.Addr().String() + "/mcp" }

func (s *scripted) serve(c *net.TCPConn) {
	defer c.Close()
	r := bufio.NewReader(c)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		if s.respond(c, req, body) {
			return
		}
	}
}

// respond answers one request and reports whether the connection is done.
func (s *scripted) respond(c *net.TCPConn, req *http.Request, body []byte) bool {
	var m struct {
		ID     json.RawMessage
		Method string
		Params struct{ ProtocolVersion string }
	}
	json.Unmarshal(body, &m)
	switch {
	case req.Method == "GET" && req.Header.Get("Last-Event-ID") != "":
		s.gets <- struct{}{}
		fmt.Fprint(c, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
	case req.Method != "POST":
		fmt.Fprint(c, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\n\r\n")
	case m.Method == "initialize":
		text := `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}}`
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	case m.Method == "tools/call":
		s.calls <- struct{}{}
		c.Write(bytes.ReplaceAll(s.wire, []byte("@@ID@@"), m.ID))
		s.finish(c)
		return true
	case len(m.ID) == 0 || m.Method == "":
		fmt.Fprint(c, "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n")
	default:
		text := `{"jsonrpc":"2.0","id":` + string(m.ID) + `,"error":{"code":-32601,"message":"no such method"}}`
		fmt.Fprintf(c, "HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
	}
	return false
}

func (s *scripted) finish(c *net.TCPConn) {
	switch s.how {
	case replay.RST:
		awaitRead(c)
		c.SetLinger(0)
	case replay.Stall:
		io.Copy(io.Discard, c) // until the client goes
	}
}

// awaitRead waits until the peer has taken what was sent: a reset throws away what it has not.
func awaitRead(c *net.TCPConn) {
	for range 200 {
		if unsent(c) == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
	time.Sleep(300 * time.Millisecond)
}

// didGo runs the Go SDK against a script and returns what it did: returned, error, hung or resumed.
func didGo(t *testing.T, wire []byte, how replay.How) string {
	t.Helper()
	s := serveScript(t, wire, how)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: s.url(), DisableStandaloneSSE: true, MaxRetries: 1}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	if err != nil {
		t.Fatal(err)
	}
	defer session.Close()
	done := make(chan string, 1)
	call, stop := context.WithTimeout(ctx, 2*time.Second)
	defer stop()
	go func() {
		_, err := session.CallTool(call, &mcp.CallToolParams{Name: "t"})
		switch {
		case err == nil:
			done <- "returned"
		case errors.Is(err, context.DeadlineExceeded):
			done <- "hung"
		case errorIsAnswers(err):
			done <- "returned"
		default:
			done <- "error"
		}
	}()
	select {
	case what := <-done:
		if len(s.gets) > 0 {
			return "resumed"
		}
		return what
	case <-s.gets:
		return "resumed"
	}
}

// modelSays plays the same bytes through a policy.
func modelSays(t *testing.T, wire []byte, how replay.How, policy string) replay.Outcome {
	t.Helper()
	const id = "2"
	w := string(bytes.ReplaceAll(wire, []byte("@@ID@@"), []byte(id)))
	ways := map[replay.How]capture.How{replay.FIN: capture.FIN, replay.RST: capture.RST, replay.Stall: capture.NoEnd}
	e := made(id, ways[how], part{ms, w})
	ps, err := replay.Find([]string{policy})
	if err != nil {
		t.Fatal(err)
	}
	last := e.last
	if how == replay.Stall {
		last = time.Hour
	}
	return replay.Run(e.ex, e.rd, ps[0], last, replay.Options{})
}

// word is the outcome in the words of didGo. A stall outlasts every capture, so that "unknown" is a wait without end.
func word(o replay.Outcome, how replay.How) string {
	switch o.Verdict {
	case replay.Unknown:
		if how == replay.Stall {
			return "hung"
		}
	case replay.Settled, replay.Salvaged:
		return "returned"
	case replay.Guessed:
		return "returned"
	case replay.Hung:
		return "hung"
	case replay.Resumed:
		return "resumed"
	case replay.Dropped:
		if o.Returned >= replay.DefaultTimeout {
			return "hung"
		}
	}
	return "error"
}

func TestGoSDK(t *testing.T) {
	if testing.Short() {
		t.Skip("talks to the real SDK")
	}
	for _, s := range scripts(t) {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			o := modelSays(t, s.wire, s.how, "go-sdk")
			if got := didGo(t, s.wire, s.how); got != word(o, s.how) {
				t.Errorf("the SDK: %s; the model: %s (%s: %s)\n%q %s", got, word(o, s.how), o.Verdict, o.Why, s.wire, s.how)
			}
		})
	}
}
