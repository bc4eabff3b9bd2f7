package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/analyze/report"
	"mcptrace/replay"
)

// reportFlags are the flags of mcptrace report.
type reportFlags struct {
	inputFlags
	output, csv string
	policies    []string
	payload     bool
	allFindings bool
}

func reportCommand(s *streams) *cobra.Command {
	f := &reportFlags{}
	cmd := &cobra.Command{
		Use:   "report -o FILE.html|FILE.md INPUT...",
		Short: "Write the report of an incident",
		Long: `Report writes one file that needs nothing else: what happened, how bad it is and how sure that is; the calls that
ran twice, ready for refunds; what was lost, what broke and what was held open; what other clients would have
made of it; and each finding with its packets.

No secrets, arguments or results stand in it unless --include-payload puts them in.`,
		Example: `  mcptrace report -o incident.html incident.pcap
  mcptrace report -o incident.md --csv ran-twice.csv incident.db`,
		Args: someInput,
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd.Context(), s, args) },
	}
	f.register(cmd)
	fl := cmd.Flags()
	fl.StringVarP(&f.output, "output", "o", "", "the report: .html or .md by its name; - is standard output, as Markdown")
	fl.StringVar(&f.csv, "csv", "", "write the calls that ran twice as CSV to this file too")
	fl.StringArrayVar(&f.policies, "policy", nil, "play this client policy (see mcptrace policies; all: every one); may be repeated")
	fl.BoolVar(&f.allFindings, "all-findings", false, allFindingsUsage)
	fl.BoolVar(&f.payload, "include-payload", false, "put in what calls and answers carried: arguments, results, whatever secrets are in them")
	requireFlag(cmd, "output", "name the file to write: -o incident.html, or .md")
	cmd.MarkFlagFilename("output", "html", "md")
	cmd.MarkFlagFilename("csv", "csv")
	completePolicies(cmd)
	return cmd
}

// payloadLimit is how many bytes of each message a report shows.
const payloadLimit = 4 << 10

func (f *reportFlags) run(ctx context.Context, s *streams, args []string) error {
	format, err := f.form()
	if err != nil {
		return err
	}
	ps, err := policiesOf(f.policies)
	if err != nil {
		return err
	}
	tracks := &report.Tracks{}
	if f.payload {
		fmt.Fprintln(s.err, "mcptrace: warning: the report will hold what calls and answers carried: arguments, results, and whatever secrets are in them")
		tracks.O.Payload = payloadLimit
	}
	a, err := f.tracked(ctx, s, args, analyze.Options{Policies: ps, Replay: replay.Options{Timeout: f.timeout}, Optional: f.allFindings}, tracks)
	if err != nil {
		return err
	}
	defer a.Close()
	o := report.Options{Inputs: args, Flags: f.reading(), Tracks: tracks}
	if err := writeFile(s, f.output, func(w io.Writer) error { return format.Write(w, a, o) }); err != nil {
		return err
	}
	if f.csv == "" {
		return nil
	}
	return writeFile(s, f.csv, func(w io.Writer) error { return report.RanTwice(w, a) })
}

// form tells by its name what the report is to be.
func (f *reportFlags) form() (report.Format, error) {
	switch ext := strings.ToLower(filepath.Ext(f.output)); {
	case ext == ".html" || ext == ".htm":
		return report.Find("html")
	case ext == ".md" || ext == ".markdown" || f.output == "-":
		return report.Find("markdown")
	}
	return report.Format{}, usagef("-o %s: want a name that ends in .html or .md", f.output)
}
