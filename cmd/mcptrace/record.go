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
		Args:  cobra.NoArgs,
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
	cmd.Flags().BoolVar(&f.keepSecrets, "keep-secrets", false, "keep credentials, cookies and session ids as they are")
	return cmd
}

func (f *recordFlags) run(ctx context.Context, s *streams, args []string) error {
	out := f.output
	if out == "" {
		if out = recordingName(args[0]); out == "" {
			return usagef("reading standard input: name the recording with -o FILE.db")
		}
	}
	w, err := store.Create(out, store.Meta{Tool: "mcptrace " + versionText(), Created: time.Now().UTC(), Source: "pcap"}, store.Options{KeepSecrets: f.keepSecrets})
	if err != nil {
		return err
	}
	defer w.Close()
	n := 0
	var failure error
	keep := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	r := &reader{flags: &f.inputFlags, s: s,
		failed: func(c capture.ConnectFailure) { keep(w.ConnectFailure(c)) },
		out: func(ex *capture.Exchange, rd *capture.Reading) {
			if failure == nil {
				n++
				keep(w.AddWith(ex, hints(rd)))
			}
			ex.Release()
		}}
	if err := r.read(ctx, args); err != nil {
		w.Close()
		if n == 0 {
			os.Remove(out)
		}
		return err
	}
	if failure != nil {
		return failure
	}
	var ins []store.Input
	for _, in := range r.inputs {
		ins = append(ins, store.Input{Path: in.Path, Kind: in.Kind, Quality: in.Quality})
	}
	if err := w.Finish(ins, r.conns); err != nil {
		return err
	}
	fmt.Fprintf(s.err, "mcptrace: %d exchanges recorded in %s\n", n, out)
	if n == 0 {
		fmt.Fprintf(s.err, "mcptrace: hint: mcptrace analyze %s says why nothing was found\n", args[0])
	}
	return w.Close()
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
