package serve_test

import (
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"mcptrace/capture/capturetest"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// answer is the event that answers the tool in a session.
var answer = capturetest.Event(capturetest.Text("2", "done"))

// session records what a client of 2025-06-18 does: initialize, whose stream is held open for an hour, then one tool,
// which is answered with these events.
func session(events ...string) *serve.Recording {
	const id = "Mcp-Session-Id: 6f0c1a2b-0000-4000-8000-123456789abc"
	held := func(port uint16, at time.Duration, ask string, answer ...string) *capturetest.Talk {
		k := capturetest.NewTalk(port)
		k.Start = capturetest.Epoch.Add(at)
		return k.Ask(ask).Wait(5 * time.Millisecond).Answer(answer...)
	}
	initialize := capturetest.Post("/mcp", capturetest.Call("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"recorded","version":"1"}}`))
	result := capturetest.Result("1", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`)
	stream := []string{capturetest.Stream()}
	for _, e := range events {
		stream = append(stream, capturetest.Chunk(e))
	}
	return recordingOf(
		held(1, 0, initialize, capturetest.Stream(id), capturetest.Chunk(capturetest.Event(result))).Wait(time.Hour).Answer(capturetest.LastChunk),
		held(2, time.Second, capturetest.Post("/mcp", capturetest.Note("notifications/initialized", ""), id), capturetest.Accepted()),
		held(3, 2*time.Second, capturetest.Post("/mcp", capturetest.Call("2", "tools/call", `{"name":"t","arguments":{}}`), id), append(stream, capturetest.LastChunk)...),
	)
}

func connect(ctx context.Context, url string) (*mcp.ClientSession, error) {
	c := mcp.NewClient(&mcp.Implementation{Name: "live", Version: "2"}, nil)
	return c.Connect(ctx, &mcp.StreamableClientTransport{Endpoint: url, HTTPClient: &http.Client{Transport: &http.Transport{}}, DisableStandaloneSSE: true}, nil)
}

func callTool(ctx context.Context, cs *mcp.ClientSession) (string, error) {
	r, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "t", Arguments: map[string]any{}})
	if err != nil || len(r.Content) == 0 {
		return "", err
	}
	return r.Content[0].(*mcp.TextContent).Text, nil
}

// TestGoSDK: the Go SDK has its own ids and clientInfo, and returns from an initialize that is held open.
func TestGoSDK(t *testing.T) {
	s := start(t, session(answer), serve.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	cs, err := connect(ctx, s.URL())
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if text, err := callTool(ctx, cs); err != nil || text != "done" {
			t.Errorf("got %q, %v", text, err)
		}
	}
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "never"}); err == nil {
		t.Error("a call that was not recorded has no error")
	}
	cs.Close()
	settled := 0
	for _, p := range s.Outcome(true) {
		if p.Number == 0 || p.ID == "" {
			continue // server/discover, and the call that was not recorded
		}
		if settled++; p.Verdict != replay.Settled {
			t.Errorf("%s: %s, %s", p.Request, p.Verdict, p.Did)
		}
	}
	if settled != 4 {
		t.Errorf("%d calls, want initialize and three of the tool", settled)
	}
}

func TestGoSDKFromCaptures(t *testing.T) {
	for _, name := range []string{"go_sdk_2025.pcap", "held_initialize.pcap"} {
		path := filepath.Join("..", "..", "testdata", "pcaps", name)
		if _, err := os.Stat(path); err != nil {
			t.Skip(err)
		}
		s := start(t, recordingFrom(t, path), serve.Options{Speed: 20})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		cs, err := connect(ctx, s.URL())
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else {
			cs.Close()
		}
		cancel()
		for _, p := range s.Outcome(true) {
			if p.Method == "initialize" && p.Verdict != replay.Settled {
				t.Errorf("%s: %s: %s, %s", name, p.Request, p.Verdict, p.Did)
			}
		}
	}
}

// TestManyClients: two hundred clients at once get their own answers.
func TestManyClients(t *testing.T) {
	s := start(t, session(answer), serve.Options{})
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var wg sync.WaitGroup
	for range 200 {
		wg.Go(func() {
			cs, err := connect(ctx, s.URL())
			if err != nil {
				t.Error(err)
				return
			}
			defer cs.Close()
			for range 3 {
				if text, err := callTool(ctx, cs); err != nil || text != "done" {
					t.Errorf("got %q, %v", text, err)
				}
			}
		})
	}
	wg.Wait()
	seen := map[int]bool{}
	for _, p := range s.Plays() {
		seen[p.Session] = true
	}
	if len(seen) < 200 {
		t.Errorf("%d sessions", len(seen))
	}
}

// TestNaive: the client that reads to the end and tries again duplicates the call at exactly the cuts behind the answer.
func TestNaive(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "naive")
	if out, err := exec.Command("go", "build", "-o", bin, "./testdata/naive").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	answer := capturetest.Event(capturetest.Text("2", "paid"))
	rows, err := serve.Sweep(context.Background(), sessionThatEnds(answer), serve.SweepOptions{Exchange: 3, EveryByte: true, End: serve.RST, Jobs: 4, Speed: serve.Max,
		Client: func(ctx context.Context, s *serve.Server) error {
			c := exec.CommandContext(ctx, bin)
			c.Env = append(os.Environ(), "MCPTRACE_URL="+s.URL())
			return c.Run()
		}})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(rows); n != len(answer)+2 {
		t.Errorf("%d rows, want %d", n, len(answer)+2)
	}
	for _, r := range rows {
		want := replay.Reissued
		switch {
		case r.Exchange == 0:
			want = replay.Settled
		case r.Offset == int64(len(answer)):
			want = replay.Duplicated
		}
		if r.Verdict != want || r.Err != nil {
			t.Errorf("cut %d (%s): %s (%s, %v), want %s", r.Offset, r.Where, r.Verdict, r.Did, r.Err, want)
		}
	}
}

func sessionThatEnds(answer string) *serve.Recording {
	const id = "Mcp-Session-Id: 6f0c1a2b-0000-4000-8000-123456789abc"
	k := capturetest.NewTalk(1).
		Ask(capturetest.Post("/mcp", capturetest.Call("1", "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"recorded","version":"1"}}`))).
		Answer(capturetest.JSON(capturetest.Result("1", `{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"shop","version":"1"}}`), id)).
		Ask(capturetest.Post("/mcp", capturetest.Note("notifications/initialized", ""), id)).Answer(capturetest.Accepted()).
		Ask(capturetest.Post("/mcp", capturetest.Call("2", "tools/call", `{"name":"pay","arguments":{"amount":5}}`), id)).
		Answer(capturetest.Stream(), capturetest.Chunk(answer), capturetest.LastChunk)
	return recordingOf(k)
}
