package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/capture"
	"mcptrace/replay"
)

// showFlags are the flags of mcptrace show.
type showFlags struct {
	inputFlags
	exchange int
	policies []string
	zone     string
	payload  bool
	cut      int
}

func showCommand(s *streams) *cobra.Command {
	f := &showFlags{}
	cmd := &cobra.Command{
		Use:   "show INPUT... --exchange N",
		Short: "Show one exchange on a time line",
		Long: `Show prints every chunk and event of one exchange with its offset, its time and the gap before it, the answer,
how it ended, what was found about it and what each client policy would have made of it. N is the number that
mcptrace analyze prints.

Payload is left out unless --payload asks for it; it is cut and escaped.`,
		Example: `  mcptrace show incident.pcap --exchange 3
  mcptrace show incident.db --exchange 3 --payload`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.exchange, "exchange", 0, "the exchange to show")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.StringVar(&f.zone, "tz", "UTC", "time zone of the times, such as Local or Europe/Berlin")
	fl.BoolVar(&f.payload, "payload", false, "show what requests and events carry: it may hold secrets")
	fl.IntVar(&f.cut, "payload-limit", 1000, "characters of payload shown of each message")
	cmd.MarkFlagRequired("exchange")
	completePolicies(cmd)
	return cmd
}

func (f *showFlags) run(ctx context.Context, s *streams, args []string) error {
	zone, err := time.LoadLocation(f.zone)
	if err != nil {
		return usagef("unknown time zone %q", f.zone)
	}
	if f.cut < 1 {
		return usagef("--payload-limit %d: want at least 1", f.cut)
	}
	ps, err := policiesOf(f.policies)
	if err != nil {
		return err
	}
	o := report.TrackOptions{Max: 10_000}
	if f.payload {
		o.Payload = f.cut
	}
	a, tracks, err := f.tracked(ctx, s, args, analyze.Options{Policies: ps, Replay: replay.Options{Timeout: f.timeout}}, o)
	if err != nil {
		return err
	}
	c, err := caseOf(a, f.exchange)
	if err != nil {
		return err
	}
	show := report.ShowOptions{Zone: zone}
	if f.payload {
		show.Payload = f.cut
	}
	return report.Show(s.out, a, c, tracks.Of(c), show)
}

// caseOf returns the exchange with that number.
func caseOf(a *analyze.Analyzer, id int) (*analyze.Case, error) {
	for _, c := range a.Cases() {
		if c.ID == id {
			return c, nil
		}
	}
	if n := len(a.Cases()); n > 0 {
		return nil, fmt.Errorf("no exchange %d among the %d that were found", id, n)
	}
	return nil, hinted{fmt.Errorf("no exchange %d: no MCP was found", id), "mcptrace analyze says why"}
}

// tracked reads the inputs, keeps the course of each exchange and draws the conclusions.
func (f *inputFlags) tracked(ctx context.Context, s *streams, args []string, o analyze.Options, to report.TrackOptions) (*analyze.Analyzer, *report.Tracks, error) {
	filter, err := f.filter()
	if err != nil {
		return nil, nil, err
	}
	o.Filter = filter
	a := analyze.New(o)
	tracks := &report.Tracks{O: to}
	r := &reader{flags: f, s: s, failed: a.ConnectFailure, out: func(ex *capture.Exchange, rd *capture.Reading) {
		a.Add(ex, rd)
		tracks.Add(ex)
		ex.Release()
	}}
	if err := r.read(ctx, args); err != nil {
		return nil, nil, err
	}
	a.Report(r.inputs, r.conns)
	return a, tracks, nil
}
