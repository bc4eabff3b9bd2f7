package main

import (
	"context"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/analyze/report/export"
	"mcptrace/capture"
	"mcptrace/store/secret"
)

// exportFlags are the flags of mcptrace export.
type exportFlags struct {
	inputFlags
	format, output                  string
	exchange                        int
	keepSecrets, payload, keepAddrs bool
}

func exportCommand(s *streams) *cobra.Command {
	f := &exportFlags{}
	cmd := &cobra.Command{
		Use:   "export --format har|jsonl|http-csv INPUT...",
		Short: "Write exchanges in the form of other tools",
		Args:  cobra.MinimumNArgs(1),
		RunE:  func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "", "har, jsonl, http-csv or pcapng")
	fl.BoolVar(&f.keepSecrets, "keep-secrets", false, "show secrets")
	return cmd
}

func (f *exportFlags) mask() export.Options {
	o := export.Options{Payload: f.payload}
	if !f.keepSecrets {
		o.Mask = secret.New()
	}
	return o
}

func (f *exportFlags) run(ctx context.Context, s *streams, args []string) error {
	switch f.format {
	case "http-csv":
		return f.httpCSV(ctx, s, args)
	case "jsonl":
		a, err := f.analysis(ctx, s, args, nil)
		if err != nil {
			return err
		}
		format, err := report.Find("jsonl")
		if err != nil {
			return err
		}
		return format.Write(s.out, a, report.Options{})
	}
	return usagef("no export format %q: want har, jsonl, http-csv or pcapng", f.format)
}

var _ analyze.Input

func (f *exportFlags) httpCSV(ctx context.Context, s *streams, args []string) error {
	t := &export.Table{Options: f.mask()}
	r := &reader{flags: &f.inputFlags, s: s, failed: func(capture.ConnectFailure) {}, plain: func(ex *capture.Exchange) {
		t.Add(ex)
		ex.Release()
	}}
	if err := r.read(ctx, args); err != nil {
		return err
	}
	return t.Write(s.out)
}
