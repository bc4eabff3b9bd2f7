package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/capture"
	"mcptrace/store"
	"mcptrace/store/redact"
)

// redactFlags are the flags of mcptrace redact.
type redactFlags struct{ leaveOut bool }

func redactCommand(s *streams) *cobra.Command {
	f := &redactFlags{}
	cmd := &cobra.Command{
		Use:   "redact IN.db OUT.db",
		Short: "Make a recording that can be shared",
		Long: `Redact writes a recording in which values are replaced by placeholders of the same length: arguments, results,
error texts, header and query values, event ids, comments, server names. Lengths, times and verdicts stay what they
are; so do JSON structure and member names, JSON-RPC ids, methods, names of tools and prompts, versions, and IP
addresses. Credentials, cookies and session ids are replaced even where IN.db was made with --keep-secrets.

In compressed bodies nothing can be replaced in place: a recording with some is refused, unless --leave-out drops the
exchanges they belong to.`,
		Example: `  mcptrace record pcap -o incident.db incident.pcap && mcptrace redact incident.db shared.db`,
		Args:    cobra.ExactArgs(2),
		RunE:    func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args[0], args[1]) },
	}
	cmd.Flags().BoolVar(&f.leaveOut, "leave-out", false, "leave out exchanges that cannot be redacted; verdicts of others may change")
	return cmd
}

func (f *redactFlags) run(ctx context.Context, s *streams, in, out string) (err error) {
	r, err := store.Open(in)
	if err != nil {
		return err
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
	n, left, err := f.copy(ctx, r, w)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.err, "mcptrace: %d exchanges redacted in %s\n", n, out)
	if left > 0 {
		fmt.Fprintf(s.err, "mcptrace: warning: %d exchanges are left out: they cannot be redacted\n", left)
	}
	return nil
}

// copy copies all exchanges, redacted. It returns how many, and how many it left out.
func (f *redactFlags) copy(ctx context.Context, r *store.Reader, w *store.Writer) (n, left int, err error) {
	red := redact.New()
	for ex, err := range r.Exchanges(ctx) {
		if err != nil {
			return n, left, err
		}
		err = red.Exchange(ex)
		switch {
		case err == nil:
			n++
			err = w.AddWith(ex, hints(capture.Read(ex)))
		case f.leaveOut && (errors.Is(err, redact.ErrCoded) || errors.Is(err, redact.ErrTooLarge)):
			left++
			err = nil
		default:
			err = hinted{fmt.Errorf("exchange with seq %d: %w", ex.Seq, err), "--leave-out drops the exchanges that cannot be redacted"}
		}
		ex.Release()
		if err != nil {
			return n, left, err
		}
	}
	return n, left, finishRedacted(r, w, red)
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
