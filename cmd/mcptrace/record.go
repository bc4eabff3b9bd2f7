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

	"mcptrace/capture"
	"mcptrace/store"
)

func recordCommand(s *streams) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "record",
		Short: "Record MCP exchanges into a file",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return usageError{hinted{errors.New("record what? pcap, proxy or stdio"), "see: mcptrace record --help"}}
		},
	}
	cmd.AddCommand(recordPcapCommand(s), recordProxyCommand(s), recordStdioCommand(s))
	return cmd
}

// recordFlags are the flags of mcptrace record pcap.
type recordFlags struct {
	inputFlags
	output      string
	maxSize     size
	keepSecrets bool
}

func recordPcapCommand(s *streams) *cobra.Command {
	f := &recordFlags{}
	cmd := &cobra.Command{
		Use:   "pcap CAPTURE...",
		Short: "Record the MCP exchanges of captures",
		Long: `Record pcap keeps the MCP exchanges of captures (- is standard input) in one SQLite file: their bytes as they
stood on the wire, when each came, and how each ended. Other traffic is left out. Credentials, cookies and
session ids are replaced by placeholders of the same length.`,
		Example: `  mcptrace record pcap -o incident.db incident.pcap
  mcptrace record pcap -o incident.db --keylog sslkeys.log rotated.pcap*
  tcpdump -U -w - port 8080 | mcptrace record pcap -o live.db -`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "the recording (default: the first capture's name with .db)")
	cmd.Flags().Var(&f.maxSize, "max-size", "leave out what comes once the recording has this size, such as 2G (default: no limit)")
	cmd.Flags().BoolVar(&f.keepSecrets, "keep-secrets", false, "keep credentials, cookies and session ids as they are")
	return cmd
}

func (f *recordFlags) run(ctx context.Context, s *streams, args []string) error {
	expectLess()
	out := f.output
	if out == "" {
		if out = recordingName(args[0]); out == "" {
			return usagef("reading standard input: name the recording with -o FILE.db")
		}
	}
	w, err := store.Create(out, store.Meta{Tool: "mcptrace " + versionText(), Created: time.Now().UTC(), Source: "pcap"},
		store.Options{KeepSecrets: f.keepSecrets, Again: allFiles(args)})
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	k := &keeping{w: w, path: out, max: int64(f.maxSize), stop: stop}
	defer w.Close()
	r := &reader{flags: &f.inputFlags, s: s, out: k.add, requests: true, idle: k.flush, failed: func(c capture.ConnectFailure) { k.check(w.ConnectFailure(c)) }}
	if err := r.read(ctx, args); err != nil {
		w.Close()
		if k.kept == 0 {
			os.Remove(out)
		}
		return err
	}
	if err := k.finish(r); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "mcptrace: %d exchanges recorded in %s\n", k.kept, out)
	if k.kept == 0 {
		fmt.Fprintf(s.err, "mcptrace: hint: mcptrace analyze %s says why nothing was found\n", args[0])
	}
	return w.Close()
}

// allFiles reports whether all inputs are files, which can be read again.
func allFiles(paths []string) bool {
	for _, p := range paths {
		if st, err := os.Stat(p); err != nil || !st.Mode().IsRegular() {
			return false
		}
	}
	return true
}

// keeping puts exchanges into a recording.
type keeping struct {
	w    *store.Writer
	path string
	max  int64 // size of the file from which on exchanges are left out; 0: none

	kept, left int
	flushed    time.Time
	err        error       // the first; nothing is written after it
	stop       func(error) // ends the reading: there may be more packets for as long as somebody captures
}

func (k *keeping) check(err error) {
	if k.err == nil && err != nil {
		k.err = err
		k.stop(stopped{err})
	}
}

// add keeps an exchange, or leaves it out where the recording is full.
func (k *keeping) add(ex *capture.Exchange, rd *capture.Reading) {
	defer ex.Release()
	switch {
	case k.err != nil:
	case k.left > 0 || k.max > 0 && k.kept > 0 && fileSize(k.path) >= k.max:
		k.left++
	default:
		k.kept++
		k.check(k.w.AddWith(ex, hints(rd)))
		if time.Since(k.flushed) >= flushEvery {
			k.flush()
		}
	}
}

// flush makes what was kept survive a crash.
func (k *keeping) flush() {
	if k.flushed = time.Now(); k.err == nil {
		k.check(k.w.Flush())
	}
}

// finish completes the recording with what r learnt of the inputs.
func (k *keeping) finish(r *reader) error {
	if k.err != nil {
		return k.err
	}
	if k.left > 0 {
		r.remark(fmt.Sprintf("the recording is full: %d exchanges were left out (--max-size)", k.left))
		r.inputs[0].Quality.LimitCuts += k.left
	}
	var ins []store.Input
	for _, in := range r.inputs {
		ins = append(ins, store.Input{Path: in.Path, Kind: in.Kind, Quality: in.Quality})
	}
	return k.w.Finish(ins, r.conns)
}

// recordingName makes the name of a recording from that of a capture; "" for standard input.
func recordingName(path string) string {
	if path == "-" {
		return ""
	}
	base := path
	for _, ext := range []string{".gz", ".zst", ".pcap", ".pcapng", ".cap"} {
		base = strings.TrimSuffix(base, ext)
	}
	return filepath.Base(base) + ".db"
}

// hints are the columns that people filter a recording by.
func hints(rd *capture.Reading) store.Hints {
	var h store.Hints
	if len(rd.Calls) > 0 {
		k := &rd.Calls[0]
		h.Method, h.ID, h.Name = k.Method, string(k.ID), k.Name
	}
	return h
}
