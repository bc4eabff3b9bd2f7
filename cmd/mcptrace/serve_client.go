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
