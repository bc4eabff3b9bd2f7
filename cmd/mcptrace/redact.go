package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/store"
	"mcptrace/store/redact"
)

func redactCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "redact IN.db OUT.db",
		Short: "Make a recording that can be shared",
		Long: `Redact writes a recording in which values are replaced by placeholders of the same length: arguments, results,
error texts, header and query values, event ids, comments, server names. Lengths, times and verdicts stay what they
are; so do JSON structure and member names, JSON-RPC ids, methods, names of tools and prompts, versions, and IP
addresses. Credentials, cookies and session ids are replaced even where IN.db was made with --keep-secrets.

Compressed bodies are compressed anew: offsets in the decoded body, times and verdicts stay, the number of bytes on the
wire does not. An exchange with a body that cannot be decoded is left out, and the command says which.`,
		Example: `  mcptrace record pcap -o incident.db incident.pcap && mcptrace redact incident.db shared.db`,
		Args:    arguments(2, 2),
		RunE:    func(cmd *cobra.Command, args []string) error { return redactFile(cmd.Context(), s, args[0], args[1]) },
	}
}

func redactFile(ctx context.Context, s *streams, in, out string) (err error) {
	r, err := store.Open(in)
	if err != nil {
		return recordFirst(ctx, s, in, err)
	}
	defer r.Close()
	w, err := store.Create(out, store.Meta{Tool: "mcptrace " + versionText(), Created: time.Now().UTC(), Source: r.Meta().Source}, store.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if e := w.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(out)
		}
	}()
	c := redaction{s: s, red: redact.New()}
	if err := c.copy(ctx, r, w); err != nil {
		return err
	}
	c.say(out)
	return nil
}

// recordFirst adds how a recording is made of what is none.
func recordFirst(ctx context.Context, s *streams, path string, err error) error {
	switch src, e := (&reader{s: s}).sniff(ctx, path); {
	case e != nil:
		return e
	case src.kind == "pcap" || src.kind == "pcapng":
		db := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)) + ".db"
		return hinted{err, fmt.Sprintf("redact reads recordings; make one of a capture first: mcptrace record pcap -o %s %s", db, path)}
	case src.kind == "stdio":
		return hinted{err, "redact reads recordings, not logs: mcptrace record stdio makes one"}
	}
	return err
}

// redaction is one copy under way.
type redaction struct {
	s       *streams
	red     *redact.Redactor
	written int
	left    []int // numbers of the exchanges that are left out, as the report counts them
}

// copy copies all exchanges, redacted.
func (c *redaction) copy(ctx context.Context, r *store.Reader, w *store.Writer) error {
	for ex, err := range r.Exchanges(ctx) {
		if err != nil {
			return err
		}
		switch err = c.red.Exchange(ex); {
		case err == nil:
			c.written++
			err = w.AddWith(ex, hints(capture.Read(ex)))
		case errors.Is(err, redact.ErrCoded), errors.Is(err, redact.ErrTooLarge):
			number := c.written + len(c.left) + 1
			c.left = append(c.left, number)
			fmt.Fprintf(c.s.err, "mcptrace: exchange #%d is left out: %v\n", number, err)
			err = nil
		default:
			err = fmt.Errorf("exchange #%d: %w", c.written+len(c.left)+1, err)
		}
		ex.Release()
		if err != nil {
			return err
		}
	}
	return finishRedacted(r, w, c.red)
}

// say tells what was done, and what of it a reader of the copy must know.
func (c *redaction) say(out string) {
	fmt.Fprintf(c.s.err, "mcptrace: %s redacted in %s\n", analyze.Count(c.written, "exchange"), out)
	if n := c.red.Recoded; n > 0 {
		fmt.Fprintf(c.s.err, "mcptrace: %s compressed anew: other numbers of bytes on the wire, the same when decoded\n", analyze.Count(n, "message"))
	}
	if n := len(c.left); n > 0 {
		fmt.Fprintf(c.s.err, "mcptrace: warning: %s left out: verdicts on the others may have changed\n", analyze.Count(n, "exchange"))
	}
}

// finishRedacted writes what belongs to no single exchange.
func finishRedacted(r *store.Reader, w *store.Writer, red *redact.Redactor) error {
	failures, err := r.Failures()
	if err != nil {
		return err
	}
	for _, c := range failures {
		if err := w.ConnectFailure(c); err != nil {
			return err
		}
	}
	conns, err := r.Conns()
	if err != nil {
		return err
	}
	for _, c := range conns {
		red.Conn(c)
	}
	inputs := append([]store.Input(nil), r.Inputs()...)
	for i := range inputs {
		inputs[i].Path = filepath.Base(inputs[i].Path)
		inputs[i].Notes = nil // they may quote what stood in the capture
	}
	return w.Finish(inputs, conns)
}
