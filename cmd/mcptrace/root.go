package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/store"
)

// The exit codes.
const (
	exitOK       = 0
	exitFindings = 1 // findings at or above --fail-on
	exitUsage    = 2 // the command line was wrong
	exitCannot   = 3 // could not look
)

// version is set by the linker for a release (make build); else it is what the build knows.
var version = ""

// streams are the three streams of the process, so that tests can run a command with others.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// errFindings ends the program with exit code 1; the findings have been printed.
var errFindings = errors.New("findings")

// run is the whole program but for os.Exit.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	s := &streams{in, out, errw}
	cmd := newRoot(s)
	cmd.SetArgs(args)
	return exitCode(s, execute(ctx, cmd))
}

// execute runs the command. An Analyzer may find anywhere that it cannot go on.
func execute(ctx context.Context, cmd *cobra.Command) (err error) {
	defer analyze.Recover(&err)
	return cmd.ExecuteContext(ctx)
}

func exitCode(s *streams, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	var child childExit
	if errors.As(err, &child) {
		return int(child)
	}
	fmt.Fprintf(s.err, "mcptrace: %s\n", oneLine(err.Error()))
	if hint := hintOf(err); hint != "" {
		fmt.Fprintf(s.err, "mcptrace: hint: %s\n", oneLine(hint))
	}
	var u usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitCannot
}

// hintOf returns the advice about an error, "" for none.
func hintOf(err error) string {
	var h hinted
	switch {
	case errors.As(err, &h):
		return h.hint
	case errors.Is(err, store.ErrLocked):
		return "wait until the other program is done with it, or end it, and run this again"
	}
	return ""
}

// oneLine keeps an error, which may quote what stands in a file, on one line and harmless to a terminal.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 {
			return ' '
		}
		return r
	}, strings.TrimSpace(s))
}

func newRoot(s *streams) *cobra.Command {
	root := &cobra.Command{
		Use:   "mcptrace",
		Short: "Was the answer there when the stream broke?",
		Long: `mcptrace reads captures of MCP (Model Context Protocol) traffic and says for each call whether its answer
had been delivered when the stream broke, whether issuing it again ran it twice, and what streams that
are held open after the answer cost.`,
		Example: `  mcptrace analyze incident.pcap
  mcptrace record pcap -o incident.db incident.pcap && mcptrace analyze incident.db
  mcptrace replay incident.pcap --exchange 3 --cut 174 --end rst
  tcpdump -U -w - port 8080 | mcptrace record pcap -o live.db -`,
		Version:       versionText(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetVersionTemplate("mcptrace {{.Version}}\n")
	root.AddCommand(analyzeCommand(s), recordCommand(s), policiesCommand(s), findingsCommand(s), exportCommand(s), showCommand(s), reportCommand(s), redactCommand(s), replayCommand(s), serveCommand(s))
	answerUsage(root)
	return root
}

func versionText() string {
	if version != "" {
		return version
	}
	if b, ok := debug.ReadBuildInfo(); ok && b.Main.Version != "" && b.Main.Version != "(devel)" {
		return b.Main.Version
	}
	return "devel"
}
