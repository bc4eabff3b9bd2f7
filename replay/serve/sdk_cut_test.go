package serve_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// prime is an event that carries nothing but the id from which to resume, and a short time to wait before that.
const prime = "id: e1\nretry: 10\ndata:\n\n"

// sdkCuts is what the SDKs do about a cut, as measured with servers written by hand: neither ever calls again.
var sdkCuts = []struct {
	name           string
	events         []string
	at             serve.Place
	end            serve.End
	inGo, inScript string // returned, error or hung
}{
	{"answer, held", []string{answer}, serve.AfterAnswer, serve.Hold, "returned", "returned"},
	{"answer, reset", []string{answer}, serve.AfterAnswer, serve.RST, "returned", "returned"},
	{"answer, closed", []string{answer}, serve.AfterAnswer, serve.FIN, "returned", "returned"},
	{"no blank line, reset", []string{answer}, serve.AtByte(int64(len(answer)) - 1), serve.RST, "error", "hung"},
	{"no blank line, closed", []string{answer}, serve.AtByte(int64(len(answer)) - 1), serve.FIN, "error", "hung"},
	{"no answer, reset", []string{answer}, serve.BeforeAnswer, serve.RST, "error", "hung"},
	{"no answer, closed", []string{answer}, serve.BeforeAnswer, serve.FIN, "error", "hung"},
	{"resumable, reset", []string{prime, "id: e2\n" + answer}, serve.AtByte(int64(len(prime))), serve.RST, "resumed", "resumed"},
	{"resumable, closed", []string{prime, "id: e2\n" + answer}, serve.AtByte(int64(len(prime))), serve.FIN, "resumed", "resumed"},
}

// did says what a client did, by its own report and by what the server saw of its call.
func did(t *testing.T, s *serve.Server, report string) string {
	t.Helper()
	var calls []serve.Play
	for _, p := range s.Outcome(report == "returned") {
		if p.Method == "tools/call" {
			calls = append(calls, p)
		}
	}
	if len(calls) != 1 {
		return fmt.Sprintf("%s, after %d calls", report, len(calls))
	}
	switch v := calls[0].Verdict; {
	case report == "returned" && v == replay.Resumed:
		return "resumed"
	case report == "returned" && (v == replay.Settled || v == replay.Salvaged), report == "error" && v == replay.Failed,
		report == "hung" && (v == replay.Hung || v == replay.Failed): // it may end before its cancellation is out
		return report
	}
	return fmt.Sprintf("%s, while the verdict is %s: %s", report, calls[0].Verdict, calls[0].Did)
}

func serveCut(t *testing.T, events []string, at serve.Place, end serve.End) *serve.Server {
	t.Helper()
	return start(t, session(events...), serve.Options{Cuts: []serve.Cut{{Exchange: 3, At: at, End: end}}})
}

// callOnce connects, calls the tool and leaves.
func callOnce(ctx context.Context, url string) error {
	cs, err := connect(ctx, url)
	if err != nil {
		return err
	}
	defer cs.Close()
	text, err := callTool(ctx, cs)
	if err == nil && text != "done" {
		err = errors.New("got " + text)
	}
	return err
}

func TestGoSDKAtCuts(t *testing.T) {
	for _, c := range sdkCuts {
		s := serveCut(t, c.events, c.at, c.end)
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		report := "returned"
		if err := callOnce(ctx, s.URL()); errors.Is(err, context.DeadlineExceeded) {
			report = "hung"
		} else if err != nil {
			report = "error"
		}
		cancel()
		if got := did(t, s, report); got != c.inGo {
			t.Errorf("%s: %s, want %s", c.name, got, c.inGo)
		}
		s.Close()
	}
}

// TestGoSDKAtEveryByte: the Go SDK returns at the cut behind the answer, fails at all before it, and never calls again.
func TestGoSDKAtEveryByte(t *testing.T) {
	rows, err := serve.Sweep(context.Background(), session(answer), serve.SweepOptions{Exchange: 3, EveryByte: true, End: serve.RST, Jobs: 16,
		Client: func(ctx context.Context, s *serve.Server) error { return callOnce(ctx, s.URL()) }})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range rows {
		whole := r.Offset == int64(len(answer)) || r.Exchange == 0
		good := r.Verdict == replay.Failed && r.Err != nil
		if whole {
			good = (r.Verdict == replay.Settled || r.Verdict == replay.Salvaged) && r.Err == nil
		}
		if !good {
			t.Errorf("cut %d of %d (%s): %s (%s, %v)", r.Offset, r.Of, r.Where, r.Verdict, r.Did, r.Err)
		}
	}
}

// TestTypeScriptSDK serves the SDK on Node, where both are installed: npm install in replay/testdata/typescript.
func TestTypeScriptSDK(t *testing.T) {
	dir := filepath.Join("..", "testdata", "typescript")
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("Node is not installed")
	}
	if _, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", "sdk")); err != nil {
		t.Skip("the SDK is not installed: run npm install in " + dir)
	}
	type server struct {
		Name string `json:"name"`
		URL  string `json:"url"`
	}
	var urls []server
	servers := map[string]*serve.Server{}
	for _, c := range sdkCuts {
		servers[c.name] = serveCut(t, c.events, c.at, c.end)
		urls = append(urls, server{c.name, servers[c.name].URL()})
	}
	in, _ := json.Marshal(urls)
	cmd := exec.CommandContext(t.Context(), node, "did.mjs")
	cmd.Dir, cmd.Stdin, cmd.Stderr = dir, bytes.NewReader(in), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	reports := map[string]string{}
	if err := json.Unmarshal(out, &reports); err != nil {
		t.Fatalf("%v: %q", err, out)
	}
	for _, c := range sdkCuts {
		if r := reports[c.name]; strings.HasPrefix(r, "no session") {
			t.Errorf("%s: %s", c.name, r)
		} else if got := did(t, servers[c.name], r); got != c.inScript {
			t.Errorf("%s: %s, want %s", c.name, got, c.inScript)
		}
		for _, p := range servers[c.name].Plays() {
			if p.Method == "initialize" && (p.Answer < 0 || p.End >= 0) {
				t.Errorf("%s: initialize was held open, and the SDK %s", c.name, p.Did)
			}
		}
	}
}
