package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptrace/capture/capturetest"
)

// patient is an input that ends the context once it has been read, and then brings nothing more.
type patient struct {
	io.Reader
	cancel func()
	hang   chan struct{}
}

func (p *patient) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil {
		p.cancel()
		<-p.hang
	}
	return n, err
}

// interrupt runs the program on an input and interrupts it when all of it is read.
func interrupt(t *testing.T, input []byte, args ...string) result {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	hang := make(chan struct{})
	t.Cleanup(func() { close(hang) })
	var out, errs bytes.Buffer
	code := run(ctx, args, &patient{bytes.NewReader(input), cancel, hang}, &out, &errs)
	return result{code, out.String(), errs.String()}
}

// TestInterrupted: what was read before Ctrl-C is reported, and said to be a part, wherever it is shown.
func TestInterrupted(t *testing.T) {
	const note = "interrupted: what follows was not read"
	packets := capturetest.Pcap(broken(40001, 0))
	for _, c := range []struct {
		args []string
		code int
	}{
		{[]string{"analyze", "-"}, exitOK},
		{[]string{"analyze", "--format", "json", "-"}, exitOK},
		{[]string{"analyze", "--format", "markdown", "-"}, exitOK},
		{[]string{"analyze", "--fail-on", "warn", "-"}, exitFindings},
	} {
		r := interrupt(t, packets, c.args...)
		if r.code != c.code || r.err != "mcptrace: warning: "+note+"\n" || !strings.Contains(r.out, note) {
			t.Errorf("%v: exit code %d\n%s%s", c.args, r.code, r.err, r.out)
		}
	}
	db := filepath.Join(t.TempDir(), "r.db")
	r := interrupt(t, packets, "record", "pcap", "-o", db, "-")
	if r.code != exitOK || !strings.Contains(r.err, note) {
		t.Errorf("record pcap: exit code %d\n%s", r.code, r.err)
	}
	if r := mustInvoke(t, "analyze", db); !strings.Contains(r.out, note) {
		t.Errorf("the recording does not say so:\n%s", r.out)
	}
	if r := interrupt(t, nil, "analyze", "-"); r.code != exitCannot {
		t.Errorf("nothing read: exit code %d\n%s", r.code, r.err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, in := range []string{db, capturetest.File(t, broken(40001, 0))} {
		var out, errs bytes.Buffer
		if code := run(ctx, []string{"analyze", in}, nil, &out, &errs); code != exitCannot || errs.String() != "mcptrace: interrupted before anything was read\n" || out.Len() > 0 {
			t.Errorf("%s: exit code %d\n%s", in, code, &errs)
		}
	}
}

// TestNoTemporaryFolder: where large bodies cannot be moved to a temporary file that is said once, and nothing else changes.
func TestNoTemporaryFolder(t *testing.T) {
	large := strings.Repeat("x", 3<<20)
	k := capturetest.NewTalk(40001)
	for _, id := range []string{"1", "2"} {
		k.Ask(capturetest.Post("/mcp", capturetest.Call(id, "tools/call", `{"name":"read"}`), "Mcp-Session-Id: s")).Wait(time.Millisecond).
			Answer(capturetest.JSON(capturetest.Text(id, large)))
	}
	path := capturetest.File(t, k)
	cmd := exec.Command("mcptrace", "analyze", "--format", "json", path) // a process of its own: temporary files are used again
	cmd.Env = append(os.Environ(), "TMPDIR="+filepath.Join(t.TempDir(), "missing"))
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	const want = "large bodies stayed in memory, temporary files cannot be written: "
	if said := errs.String(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "mcptrace: warning: "+want) || strings.Count(out.String(), want) != 1 {
		t.Errorf("said %q", said)
	}
	if saidOf(t, out.String()) != saidOf(t, mustInvoke(t, "analyze", "--format", "json", path).out) {
		t.Error("the report differs")
	}
}

// TestLimitFlags: what a limit of the command line cuts off is counted and shown, and a verdict that rests on it is open.
func TestLimitFlags(t *testing.T) {
	call := capturetest.Post("/mcp", capturetest.Call("1", "tools/call", `{"name":"read"}`), "Mcp-Session-Id: s")
	response := func(n int) string {
		empty := len(capturetest.JSON(capturetest.Text("1", strings.Repeat("x", n))))
		return capturetest.JSON(capturetest.Text("1", strings.Repeat("x", 2*n-empty)))
	}
	for over := range 2 {
		k := capturetest.NewTalk(40001)
		k.Ask(call).Wait(time.Millisecond).Answer(response(1<<20 + over))
		path := capturetest.File(t, k)
		text := mustInvoke(t, "analyze", "--max-message", "1M", path).out
		if over == 0 && !strings.Contains(text, "1 call: 1 answered, 0 lost, 0 not known") ||
			over == 1 && !(strings.Contains(text, "1 call: 0 answered, 0 lost, 1 not known") && strings.Contains(text, "not read: 1 thing cut off or left out by a limit of mcptrace")) {
			t.Errorf("%d over:\n%s", over, text)
		}
		if r := mustInvoke(t, "analyze", path); !strings.Contains(r.out, "nothing is missing") {
			t.Errorf("%d over, no flag:\n%s", over, r.out)
		}
	}
	if r := invoke("analyze", "--max-message", "1K", "x.pcap"); r.code != exitUsage {
		t.Errorf("exit code %d", r.code)
	}
}

// TestFullRecording: a recording stops growing at --max-size, and says what it lacks.
func TestFullRecording(t *testing.T) {
	path := capturetest.File(t, broken(40001, 0), broken(40002, 5*time.Second))
	whole, part := filepath.Join(t.TempDir(), "whole.db"), filepath.Join(t.TempDir(), "part.db")
	mustInvoke(t, "record", "pcap", "--max-size", "1G", "-o", whole, path)
	r := mustInvoke(t, "record", "pcap", "--max-size", "1K", "-o", part, path)
	const note = "the recording is full: 3 exchanges were left out (--max-size)"
	if !strings.Contains(r.err, note) || !strings.Contains(r.err, "1 exchanges recorded in "+part) {
		t.Error(r.err)
	}
	if text := mustInvoke(t, "analyze", part).out; !strings.Contains(text, note) || !strings.Contains(text, "3 things cut off or left out by a limit of mcptrace") {
		t.Error(text)
	}
	if text := mustInvoke(t, "analyze", whole).out; !strings.Contains(text, "nothing is missing") {
		t.Error(text)
	}
}
