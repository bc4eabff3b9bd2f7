package main

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay"
)

// replayFlags are the flags of mcptrace replay.
type replayFlags struct {
	inputFlags
	exchange int
	policies []string
	cut      int64
	end      string
	sweep    bool
	format   string

	cuts bool // --cut was given
	how  replay.How
	ps   []replay.Policy
}

func replayCommand(s *streams) *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay INPUT...",
		Short: "Play exchanges through client policies, also broken at a chosen byte",
		Long: `Replay shows the response to a call event by event, as a client meets it, and what each client policy makes of it.

With --cut N it shows what would have happened had the stream broken behind body byte N (counted with transfer
coding off and content coding on); with --sweep, had it broken behind any byte of the body. Nothing is sent.`,
		Example: `  mcptrace replay incident.pcap --exchange 3
  mcptrace replay incident.pcap --exchange 3 --cut 174 --end rst
  mcptrace replay incident.pcap --exchange 3 --sweep --policy ruby-mcp-client-3.0 --policy typescript-sdk`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			f.cuts = cmd.Flags().Changed("cut")
			return f.run(cmd.Context(), s, args, cmd.Flags().Changed("end"))
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.exchange, "exchange", 0, "the exchange to play, as numbered by mcptrace analyze (default: all)")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.Int64Var(&f.cut, "cut", 0, "break the response behind this body byte")
	fl.StringVar(&f.end, "end", "fin", "how it breaks: fin, rst, or stall (hold): nothing more comes and nothing ends; --sweep tries all three")
	fl.BoolVar(&f.sweep, "sweep", false, "break the response behind every byte of its body")
	fl.StringVar(&f.format, "format", "text", "text or json")
	complete(cmd, "end", "fin", "rst", "stall", "hold")
	complete(cmd, "format", "text", "json")
	completePolicies(cmd)
	return cmd
}

func (f *replayFlags) check(endGiven bool) (err error) {
	if f.how, err = replay.ParseHow(f.end); err != nil {
		return usageError{err}
	}
	switch {
	case f.format != "text" && f.format != "json":
		return usagef("no format %q: want text or json", f.format)
	case f.cut < 0:
		return usagef("--cut %d: want 0 or more", f.cut)
	case f.cuts && f.sweep:
		return usageError{errors.New("--cut and --sweep exclude each other")}
	case endGiven && !f.cuts && !f.sweep:
		return usageError{hinted{errors.New("--end without --cut"), "say where to break: --cut N"}}
	}
	f.ps, err = policiesOf(f.policies)
	return err
}

func (f *replayFlags) run(ctx context.Context, s *streams, args []string, endGiven bool) error {
	if err := f.check(endGiven); err != nil {
		return err
	}
	p := &plays{f: f, warn: s.err, ways: []replay.How{replay.FIN, replay.RST, replay.Stall}}
	if endGiven {
		p.ways = []replay.How{f.how}
	}
	once := slices.Contains(args, "-") // standard input can be read only once: everything is played as it comes
	var keep keeper
	if once {
		p.open, keep = true, p
	}
	a, err := f.tracked(ctx, s, args, analyze.Options{Policies: f.ps, Replay: replay.Options{Timeout: f.timeout}}, keep)
	if err != nil {
		return err
	}
	cases := a.Cases()
	if f.exchange != 0 {
		c, err := caseOf(a, f.exchange)
		if err != nil {
			return err
		}
		cases = []*analyze.Case{c}
	}
	if !once {
		p.want(cases)
		again := &streams{in: s.in, out: s.out, err: io.Discard} // warnings were given
		r := &reader{flags: &f.inputFlags, s: again, failed: func(capture.ConnectFailure) {}, out: func(ex *capture.Exchange, _ *capture.Reading) {
			p.Add(ex)
			ex.Release()
		}}
		if err := r.read(ctx, args); err != nil {
			return err
		}
	}
	if f.format == "json" {
		return writeReplayJSON(s.out, a, p.of(cases))
	}
	return writeReplayText(s.out, a, p.of(cases))
}
