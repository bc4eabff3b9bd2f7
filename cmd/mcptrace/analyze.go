package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/capture"
	"mcptrace/replay"
)

// analyzeFlags are the flags of mcptrace analyze.
type analyzeFlags struct {
	inputFlags
	format   string
	policies []string
	failOn   string
	zone     string
	// allFindings asks for those too that are said on request only.
	allFindings bool
}

const allFindingsUsage = "also what is said on request only: equal calls after an answer, sessions that are not deleted"

func analyzeCommand(s *streams) *cobra.Command {
	f := &analyzeFlags{}
	cmd := &cobra.Command{
		Use:   "analyze INPUT...",
		Short: "Say what happened to the calls in captures or recordings",
		Long: `Analyze reads captures (pcap, pcapng, also compressed with gzip or zstd; - is standard input) and recordings,
told apart by content, plays each exchange through the client policies and prints what ran twice, what was
lost, what broke and what was held open.`,
		Example: `  mcptrace analyze incident.pcap
  mcptrace analyze --keylog sslkeys.log incident.pcapng
  mcptrace analyze --format json --fail-on error incident.pcap > report.json
  mcptrace analyze --tool pay --policy salvage --policy discard-reissue incident.db`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVar(&f.format, "format", "text", "text, json, jsonl, html or markdown")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.StringVar(&f.failOn, "fail-on", "", "exit with 1 if there are findings of this severity or graver: info, warn or error")
	fl.BoolVar(&f.allFindings, "all-findings", false, allFindingsUsage)
	fl.StringVar(&f.zone, "tz", "UTC", "time zone of the times in text, such as Local or Europe/Berlin")
	complete(cmd, "format", "text", "json", "jsonl", "html", "markdown")
	complete(cmd, "fail-on", "info", "warn", "error")
	completePolicies(cmd)
	return cmd
}

func (f *analyzeFlags) run(ctx context.Context, s *streams, args []string) error {
	format, err := report.Find(f.format)
	if err != nil {
		return usageError{err}
	}
	fail := analyze.Severity(len(args) + 1000)
	if f.failOn != "" {
		if fail, err = analyze.ParseSeverity(f.failOn); err != nil {
			return usageError{err}
		}
	}
	zone, err := time.LoadLocation(f.zone)
	if err != nil {
		return usagef("unknown time zone %q", f.zone)
	}
	ps, err := policiesOf(f.policies)
	if err != nil {
		return err
	}
	a, err := f.tracked(ctx, s, args, analyze.Options{Policies: ps, Replay: replay.Options{Timeout: f.timeout}, Optional: f.allFindings}, nil)
	if err != nil {
		return err
	}
	defer a.Close()
	if f.failOn != "" {
		warnUnjudged(s, a)
	}
	if err := format.Write(s.out, a, report.Options{Zone: zone, Width: width(s), Inputs: args, Flags: f.reading()}); err != nil {
		return err
	}
	for _, x := range a.Findings {
		if x.Severity >= fail {
			return errFindings
		}
	}
	return nil
}

func policiesOf(names []string) ([]replay.Policy, error) {
	if len(names) == 0 {
		return replay.Generic(), nil
	}
	ps, err := replay.Find(names)
	if err != nil {
		return nil, usageError{hinted{err, "mcptrace policies lists them"}}
	}
	return ps, nil
}

// warnUnjudged says on standard error why --fail-on had nothing to look at: a run that passes for that proves nothing.
func warnUnjudged(s *streams, a *analyze.Analyzer) {
	for _, why := range a.Diagnosis() {
		fmt.Fprintf(s.err, "mcptrace: warning: --fail-on had nothing to judge: %s\n", why)
	}
}

// filter turns the flags into a filter.
func (f *inputFlags) filter() (analyze.Filter, error) {
	flt := analyze.Filter{Server: f.server, Client: f.client, Session: f.session, Method: f.method, Tool: f.tool}
	var err error
	if flt.Since, err = moment("since", f.since); err != nil {
		return flt, err
	}
	if flt.Until, err = moment("until", f.until); err == nil && flt.Since != 0 && flt.Until != 0 && flt.Until < flt.Since {
		err = usagef("--until %s is before --since %s", f.until, f.since)
	}
	return flt, err
}

// moment reads a time of the command line.
func moment(flag, s string) (capture.Instant, error) {
	if s == "" {
		return 0, nil
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", "2006-01-02"} {
		if t, err := time.ParseInLocation(layout, s, time.UTC); err == nil {
			return capture.Instant(t.UnixNano()), nil
		}
	}
	return 0, usagef("--%s %q: want a time such as 2026-11-30T19:51:04Z", flag, s)
}

// width returns the columns of the terminal, 0 where the output is none.
func width(s *streams) int {
	if f, ok := s.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil {
			return w
		}
	}
	return 0
}

func complete(cmd *cobra.Command, flag string, values ...string) {
	cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
}

func completePolicies(cmd *cobra.Command) {
	complete(cmd, "policy", append([]string{"all"}, policyNames()...)...)
}
