package main

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/analyze/report/export"
	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
	"mcptrace/replay"
	"mcptrace/store/secret"
)

// exportFlags are the flags of mcptrace export.
type exportFlags struct {
	inputFlags
	format, output       string
	exchange             int
	keepSecrets, payload bool
	keepAddresses        bool
}

func exportCommand(s *streams) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export --format har|jsonl|http-csv|pcapng INPUT...",
		Short: "Write exchanges in the form of other tools",
		Long: `Export writes exchanges for other tools:

  har       an HTTP archive (HAR 1.2) for a browser's network panel; what it has no place for stands in _mcptrace fields
  jsonl     one exchange a line, each as in mcptrace analyze --format json
  http-csv  one row per HTTP exchange, MCP or not: client,server,proto,h2_stream,request,status,body_len,req_body_len,complete
  pcapng    the packets of one exchange, cut out of its capture, with comments that say what they show

Secrets in headers and addresses are masked unless --keep-secrets. har leaves out bodies and the values of most headers
unless --include-payload. pcapng cuts packets off behind their TCP headers unless --include-payload, and puts
documentation addresses (192.0.2.1 the client, 192.0.2.2 the server) in place of the true ones unless --keep-addresses;
with both, packets are copied as they are, secrets and all.`,
		Example: `  mcptrace export --format har incident.pcap > incident.har
  mcptrace export --format pcapng --exchange 3 -o exchange3.pcapng incident.pcap
  mcptrace export --format jsonl --tool pay incident.db | jq .answer.level`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "har, jsonl, http-csv or pcapng")
	fl.StringVarP(&f.output, "output", "o", "-", "the file to write; - is standard output")
	fl.IntVar(&f.exchange, "exchange", 0, "only this exchange (a number of the report)")
	fl.BoolVar(&f.keepSecrets, "keep-secrets", false, "show credentials, cookies, session ids and secret parameters as they are")
	fl.BoolVar(&f.payload, "include-payload", false, "put in what requests and responses carry: arguments, results, whatever secrets are in them")
	fl.BoolVar(&f.keepAddresses, "keep-addresses", false, "pcapng: keep IP addresses and ports")
	requireFlag(cmd, "format", "say which: --format har, jsonl, http-csv or pcapng")
	complete(cmd, "format", "har", "jsonl", "http-csv", "pcapng")
	return cmd
}

func (f *exportFlags) run(ctx context.Context, s *streams, args []string) error {
	if f.payload {
		fmt.Fprintln(s.err, "mcptrace: warning: the export will hold what requests and responses carry: arguments, results, and whatever secrets are in them")
	}
	switch f.format {
	case "http-csv":
		if f.exchange != 0 {
			return usagef("--format http-csv lists all HTTP exchanges: it takes no --exchange")
		}
		return f.httpCSV(ctx, s, args)
	case "jsonl":
		return f.jsonLines(ctx, s, args)
	case "har":
		return f.har(ctx, s, args)
	case "pcapng":
		return f.pcapng(ctx, s, args)
	}
	return usagef("no export format %q: want har, jsonl, http-csv or pcapng", f.format)
}

func (f *exportFlags) write(s *streams, write func(io.Writer) error) error {
	return writeFile(s, f.output, write)
}

func (f *exportFlags) options() export.Options {
	o := export.Options{Payload: f.payload}
	if !f.keepSecrets {
		o.Mask = secret.New()
	}
	return o
}

func (f *exportFlags) analyzeOptions() analyze.Options {
	return analyze.Options{Policies: replay.Generic(), Replay: replay.Options{Timeout: f.timeout}}
}

func (f *exportFlags) httpCSV(ctx context.Context, s *streams, args []string) error {
	t := &export.Table{Options: f.options()}
	r := &reader{flags: &f.inputFlags, s: s, failed: func(capture.ConnectFailure) {}, plain: func(ex *capture.Exchange) {
		t.Add(ex)
		ex.Release()
	}}
	if err := r.read(ctx, args); err != nil {
		return err
	}
	return f.write(s, t.Write)
}

func (f *exportFlags) jsonLines(ctx context.Context, s *streams, args []string) error {
	format, err := report.Find("jsonl")
	if err != nil {
		return err
	}
	a, err := f.tracked(ctx, s, args, f.analyzeOptions(), nil)
	if err != nil {
		return err
	}
	defer a.Close()
	if f.exchange != 0 {
		if _, err := caseOf(a, f.exchange); err != nil {
			return err
		}
	}
	sayWhyNothing(s, a)
	return f.write(s, func(w io.Writer) error { return format.Write(w, a, report.Options{Exchange: f.exchange}) })
}

func (f *exportFlags) har(ctx context.Context, s *streams, args []string) error {
	h := &export.Archive{Options: f.options(), Creator: "mcptrace", Version: versionText()}
	a, err := f.tracked(ctx, s, args, f.analyzeOptions(), h)
	if err != nil {
		return err
	}
	defer a.Close()
	if f.exchange != 0 {
		if _, err := caseOf(a, f.exchange); err != nil {
			return err
		}
	}
	sayWhyNothing(s, a)
	left := 0
	for c := range a.Each() {
		if !h.Has(c) && (f.exchange == 0 || f.exchange == c.ID) {
			left++
		}
	}
	if left > 0 {
		fmt.Fprintf(s.err, "mcptrace: warning: left out of the archive: %s that HTTP archives have no form for (stdio, or no request seen); --format jsonl has all\n", analyze.Count(left, "exchange"))
	}
	return f.write(s, func(w io.Writer) error { return h.Write(w, a, f.exchange) })
}

// sayWhyNothing says on standard error why there are no exchanges, where there are none.
func sayWhyNothing(s *streams, a *analyze.Analyzer) {
	for _, why := range a.Diagnosis() {
		fmt.Fprintf(s.err, "mcptrace: nothing to export: %s\n", why)
	}
}

// pcapng reads the capture again for the packets of the exchange.
func (f *exportFlags) pcapng(ctx context.Context, s *streams, args []string) error {
	if f.exchange == 0 {
		return usagef("--format pcapng: name the exchange with --exchange N")
	}
	a, err := f.tracked(ctx, s, args, f.analyzeOptions(), nil)
	if err != nil {
		return err
	}
	defer a.Close()
	c, err := caseOf(a, f.exchange)
	if err != nil {
		return err
	}
	in := a.Inputs[c.Conn.Input]
	switch {
	case in.Path == "-":
		return usagef("--format pcapng reads the capture twice: name a file, not -")
	case in.Kind == "recording" || c.First == 0:
		return hinted{fmt.Errorf("%s holds no packets", in.Path), "name the capture it was recorded from"}
	}
	cut := pcap.Cut{Client: c.Conn.Client, Server: c.Conn.Server, First: c.First, Last: c.LastPacket(), KeepAddresses: f.keepAddresses, KeepPayload: f.payload, Comment: report.PacketComments(c)}
	return f.write(s, func(w io.Writer) error {
		_, err := pcap.CutOut(ctx, pcap.Input{Path: in.Path}, w, cut)
		return err
	})
}
