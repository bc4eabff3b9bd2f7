package main

import (
	"context"
	"fmt"
	"io"
	"slices"
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
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.exchange, "exchange", 0, "the exchange to show")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.StringVar(&f.zone, "tz", "UTC", "time zone of the times, such as Local or Europe/Berlin")
	fl.BoolVar(&f.payload, "payload", false, "show what requests and events carry: it may hold secrets")
	fl.IntVar(&f.cut, "payload-limit", 1000, "characters of payload shown of each message")
	requireFlag(cmd, "exchange", "say which: --exchange N (mcptrace analyze numbers them)")
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
	a, tracks, err := f.look(ctx, s, args, analyze.Options{Policies: ps, Replay: replay.Options{Timeout: f.timeout}}, o)
	if err != nil {
		return err
	}
	defer a.Close()
	c, err := caseOf(a, f.exchange)
	if err != nil {
		return err
	}
	t := tracks.Of(c)
	if t == nil {
		if t, err = f.trackOf(ctx, s, args, c, o); err != nil {
			return err
		}
	}
	show := report.ShowOptions{Zone: zone}
	if f.payload {
		show.Payload = f.cut
	}
	return report.Show(s.out, a, c, t, show)
}

// caseOf returns the exchange with that number.
func caseOf(a *analyze.Analyzer, id int) (*analyze.Case, error) {
	for c := range a.Each() {
		if c.ID == id {
			return c, nil
		}
	}
	if n := len(a.Cases()); n > 0 {
		return nil, fmt.Errorf("no exchange %d among the %d that were found", id, n)
	}
	return nil, hinted{fmt.Errorf("no exchange %d: no MCP was found", id), "mcptrace analyze says why"}
}

// look reads the inputs and draws the conclusions. What can be read once only is kept as far as the usual limits go; of
// files the exchange in question is read again, when it is known which one that is.
func (f *showFlags) look(ctx context.Context, s *streams, args []string, o analyze.Options, to report.TrackOptions) (*analyze.Analyzer, *report.Tracks, error) {
	if !slices.Contains(args, "-") {
		a, err := f.tracked(ctx, s, args, o, nil)
		return a, nil, err
	}
	to.Max = 0
	tracks := &report.Tracks{O: to}
	a, err := f.tracked(ctx, s, args, o, tracks)
	return a, tracks, err
}

// trackOf reads the inputs again for the course of one exchange.
func (f *inputFlags) trackOf(ctx context.Context, s *streams, args []string, c *analyze.Case, o report.TrackOptions) (*report.Track, error) {
	var t *report.Track
	again := &streams{in: s.in, out: s.out, err: io.Discard} // warnings were given
	r := &reader{flags: f, s: again, failed: func(capture.ConnectFailure) {}, out: func(ex *capture.Exchange, _ *capture.Reading) {
		if ex.Seq == c.Seq && ex.Start == c.Start && ex.Conn.ID == c.Conn.ID && ex.Conn.Client == c.Conn.Client {
			t = report.NewTrack(ex, o)
		}
		ex.Release()
	}}
	err := r.read(ctx, args)
	return t, err
}

// keeper keeps something of each exchange while its bytes are there.
type keeper interface{ Add(ex *capture.Exchange) }

// tracked reads the inputs, shows each exchange to keep where that is not nil, and draws the conclusions.
func (f *inputFlags) tracked(ctx context.Context, s *streams, args []string, o analyze.Options, keep keeper) (*analyze.Analyzer, error) {
	if f.timeout < 0 {
		return nil, usagef("--timeout %v: want a time above 0", f.timeout)
	}
	filter, err := f.filter()
	if err != nil {
		return nil, err
	}
	o.Filter = filter
	a := analyze.New(o)
	r := &reader{flags: f, s: s, failed: a.ConnectFailure, out: func(ex *capture.Exchange, rd *capture.Reading) {
		a.Add(ex, rd)
		if keep != nil {
			keep.Add(ex)
		}
		ex.Release()
	}}
	if err := r.read(ctx, args); err != nil {
		return nil, err
	}
	a.Report(r.inputs, r.conns)
	if err := a.Unwritten(); err != nil {
		fmt.Fprintf(s.err, "mcptrace: warning: details of exchanges stay in memory, temporary files cannot be written: %v\n", err)
	}
	return a, nil
}
