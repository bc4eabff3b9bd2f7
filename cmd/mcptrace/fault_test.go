package main

import (
	"bytes"
	"context"
	"io"
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
	usual := mustInvoke(t, "analyze", "--format", "json", path)
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "missing"))
	r := mustInvoke(t, "analyze", "--format", "json", path)
	const want = "large bodies stayed in memory, temporary files cannot be written: "
	if strings.Count(r.err, "\n") != 1 || !strings.HasPrefix(r.err, "mcptrace: warning: "+want) || strings.Count(r.out, want) != 1 {
		t.Errorf("said %q", r.err)
	}
	if saidOf(t, r.out) != saidOf(t, usual.out) {
		t.Error("the report differs")
	}
}

// TestLimitFlags: what a limit of the command line cuts off is shown, and the verdict is open where it matters.
func TestLimitFlags(t *testing.T) {
	path := capturetest.File(t, broken(40001, 0), broken(40002, 5*time.Second), broken(40003, 9*time.Second))
	for _, c := range []struct {
		args []string
		cuts int
	}{
		{nil, 0},
		{[]string{"--max-message", "400"}, 0}, {[]string{"--max-message", "200"}, 6},
		{[]string{"--max-connections", "3"}, 0}, {[]string{"--max-connections", "1"}, 0}, // each is over when the next begins
		{[]string{"--max-out-of-order", "1K"}, 0},
	} {
		args := append([]string{"analyze", "--format", "json"}, c.args...)
		var r struct {
			Quality struct {
				LimitCuts int `json:"limit_cuts"`
			}
			Totals struct{ Lost, Unknown int }
		}
		decode(t, mustInvoke(t, append(args, path)...).out, &r)
		if r.Quality.LimitCuts != c.cuts {
			t.Errorf("%v: %d cuts, want %d", c.args, r.Quality.LimitCuts, c.cuts)
		}
	}
	text := mustInvoke(t, "analyze", "--max-message", "200", path).out
	if !strings.Contains(text, "6 things cut off or left out by a limit of mcptrace") {
		t.Error(text)
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
