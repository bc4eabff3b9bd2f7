package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
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

// usageError is a wrong command line.
type usageError struct{ error }

// Unwrap returns the error itself, which may carry a hint.
func (u usageError) Unwrap() error { return u.error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// hinted is an error with an advice, printed on a line of its own.
type hinted struct {
	error
	hint string
}

// Unwrap returns the error itself.
func (h hinted) Unwrap() error { return h.error }

// errFindings ends the program with exit code 1; the findings have been printed.
var errFindings = errors.New("findings")

// run is the whole program but for os.Exit.
func run(ctx context.Context, args []string, in io.Reader, out, errw io.Writer) int {
	s := &streams{in, out, errw}
	cmd := newRoot(s)
	cmd.SetArgs(args)
	return exitCode(s, cmd.ExecuteContext(ctx))
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
	text, suggested, _ := strings.Cut(err.Error(), "\n\nDid you mean this?")
	fmt.Fprintf(s.err, "mcptrace: %s\n", oneLine(text))
	var h hinted
	switch {
	case errors.As(err, &h):
		fmt.Fprintf(s.err, "mcptrace: hint: %s\n", oneLine(h.hint))
	case suggested != "":
		fmt.Fprintf(s.err, "mcptrace: hint: did you mean %s?\n", strings.Join(strings.Fields(suggested), " or "))
	}
	var u usageError
	if errors.As(err, &u) || isCobraUsage(err) {
		return exitUsage
	}
	return exitCannot
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

// someInput asks for at least one input.
func someInput(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return usageError{hinted{errors.New("nothing to read: name at least one input"), "see: " + cmd.CommandPath() + " --help"}}
	}
	return nil
}

// isCobraUsage reports whether cobra itself refused the command line. It has no error types for that.
func isCobraUsage(err error) bool {
	for _, p := range []string{"unknown command", "unknown flag", "unknown shorthand", "accepts ", "requires at least", "required flag", "flag needs an argument", "invalid argument"} {
		if strings.HasPrefix(err.Error(), p) {
			return true
		}
	}
	return false
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
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return usageError{hinted{err, "see: " + c.CommandPath() + " --help"}}
	})
	root.SetVersionTemplate("mcptrace {{.Version}}\n")
	root.AddCommand(analyzeCommand(s), recordCommand(s), policiesCommand(s), findingsCommand(s), exportCommand(s), showCommand(s), reportCommand(s), redactCommand(s), replayCommand(s), serveCommand(s))
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
