package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"mcptrace/replay/serve"
)

// client returns what runs the command against a server. Its output goes to out.
func (f *serveFlags) client(s *streams, command []string, out io.Writer) func(context.Context, *serve.Server) error {
	return func(ctx context.Context, srv *serve.Server) error {
		ctx, cancel := context.WithTimeout(ctx, f.patience)
		defer cancel()
		args := make([]string, len(command))
		for i, a := range command {
			args[i] = strings.ReplaceAll(a, "{url}", srv.URL())
		}
		said := tail{out: out}
		cmd := exec.CommandContext(ctx, args[0], args[1:]...)
		cmd.Env = append(os.Environ(), "MCPTRACE_URL="+srv.URL())
		cmd.Stdout, cmd.Stderr = &said, &said // one writer: then one goroutine writes
		cmd.WaitDelay = time.Second
		err := cmd.Run()
		switch {
		case ctx.Err() == context.DeadlineExceeded:
			return fmt.Errorf("ended after %s: --client-timeout", f.patience)
		case err != nil && said.last() != "":
			return fmt.Errorf("%w: %s", err, said.last())
		}
		return err
	}
}

// tail hands on what a command prints and keeps its end. The command may still write while its end is looked at.
type tail struct {
	out io.Writer
	mu  sync.Mutex
	b   []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.b = append(t.b, p...); len(t.b) > 4096 {
		t.b = append([]byte(nil), t.b[len(t.b)-2048:]...)
	}
	return t.out.Write(p)
}

// last returns the last line.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(t.b), []byte("\n"))
	return strings.ToValidUTF8(string(lines[len(lines)-1]), "?")
}

// runSweep runs the command once per cut.
func (f *serveFlags) runSweep(ctx context.Context, s *streams, rec *serve.Recording, o serve.Options, command []string) error {
	if _, err := exec.LookPath(command[0]); err != nil {
		return err
	}
	so := serve.SweepOptions{Exchange: f.exchange, EveryByte: f.everyByte, Jobs: f.jobs, Speed: o.Speed, Client: f.client(s, command, io.Discard)}
	if f.end != "" {
		so.End, _ = serve.ParseEnd(f.end)
	}
	if e, ok := s.err.(*os.File); ok && term.IsTerminal(int(e.Fd())) {
		var bar *progressbar.ProgressBar
		so.Progress = func(done, total int) {
			if bar == nil {
				bar = progressbar.NewOptions(total, progressbar.OptionSetWriter(e), progressbar.OptionSetDescription("cuts"),
					progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(100*time.Millisecond))
			}
			bar.Set(done)
		}
	}
	rows, err := serve.Sweep(ctx, rec, so)
	if len(rows) > 0 {
		if err := f.write(s, func(w *outcomes) error { return w.sweep(rows) }); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	for _, r := range rows {
		if f.fails(r.Verdict) {
			return errFindings
		}
	}
	return nil
}
