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
	"mcptrace/replay/serve"
)

// replayFlags are the flags of mcptrace replay.
type replayFlags struct {
	inputFlags
	exchange int
	policies []string
	cut      string
	end      string
	sweep    bool
	format   string

	place serve.Place // of --cut
	how   replay.How
	ps    []replay.Policy
}

func replayCommand(s *streams) *cobra.Command {
	f := &replayFlags{}
	cmd := &cobra.Command{
		Use:   "replay INPUT...",
		Short: "Play exchanges through client policies, also broken at a chosen byte",
		Long: `Replay shows the response to a call event by event, as a client meets it, and what each client policy makes of it.

With --cut it shows what would have happened had the stream broken at that place: behind so many body bytes (counted
with transfer coding off and content coding on), behind the answer, before it, or behind event K; with --sweep, had it
broken behind any byte of the body. Nothing is sent.

Where the recorded client names itself and there is a model of it, that is shown first, and where the client did
otherwise than its model, that is said. Without --policy the model is played beside the generic policies (not from
standard input, which is read once: there, ask for it).`,
		Example: `  mcptrace replay incident.pcap --exchange 3
  mcptrace replay incident.pcap --exchange 3 --cut 174 --end rst
  mcptrace replay incident.pcap --exchange 3 --cut after-answer --end stall
  mcptrace replay incident.pcap --exchange 3 --sweep --policy ruby-mcp-client-3.0 --policy typescript-sdk`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), s, args, cmd.Flags().Changed("end"))
		},
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.IntVar(&f.exchange, "exchange", 0, "the exchange to play, as numbered by mcptrace analyze (default: all)")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.StringVar(&f.cut, "cut", "", "break the response at this `place`: behind so many body bytes, or after-answer, before-answer, event:K")
	fl.StringVar(&f.end, "end", "fin", "how it breaks: fin, rst, or stall (hold): nothing more comes and nothing ends; --sweep tries all three")
	fl.BoolVar(&f.sweep, "sweep", false, "break the response behind every byte of its body")
	fl.StringVar(&f.format, "format", "text", "text or json")
	complete(cmd, "cut", "after-answer", "before-answer")
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
	case f.cut != "" && f.sweep:
		return usageError{errors.New("--cut and --sweep exclude each other")}
	case endGiven && f.cut == "" && !f.sweep:
		return usageError{hinted{errors.New("--end without --cut"), "say where to break: --cut N"}}
	}
	if f.cut != "" {
		if f.place, err = serve.ParsePlace(f.cut); err != nil {
			return usageError{err}
		}
	}
	f.ps, err = policiesOf(f.policies)
	return err
}

func (f *replayFlags) run(ctx context.Context, s *streams, args []string, endGiven bool) error {
	if err := f.check(endGiven); err != nil {
		return err
	}
	p := &plays{f: f, ways: []replay.How{replay.FIN, replay.RST, replay.Stall}}
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
	defer a.Close()
	cases := a.Cases()
	if f.exchange != 0 {
		c, err := caseOf(a, f.exchange)
		if err != nil {
			return err
		}
		cases = []*analyze.Case{c}
	}
	if !once {
		p.want(a, cases)
		again := &streams{in: s.in, out: s.out, err: io.Discard} // warnings were given
		r := &reader{flags: &f.inputFlags, s: again, failed: func(capture.ConnectFailure) {}, out: func(ex *capture.Exchange, _ *capture.Reading) {
			p.Add(ex)
			ex.Release()
		}}
		if err := r.read(ctx, args); err != nil {
			return err
		}
	}
	played := p.of(a, cases)
	if err := f.checkCut(played); err != nil {
		return err
	}
	f.warnUnswept(s, played)
	if f.format == "json" {
		return writeReplayJSON(s.out, played)
	}
	return writeReplayText(s.out, played)
}
