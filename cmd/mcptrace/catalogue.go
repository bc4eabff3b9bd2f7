package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/replay"
)

func policiesCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "policies",
		Short: "List the client policies",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			var b strings.Builder
			for _, p := range replay.Policies() {
				fmt.Fprintf(&b, "%s\n    %s\n    client: %s\n    source: %s\n", p.Name, p.Doc, p.Client, p.Source)
				if p.Checked != "" {
					fmt.Fprintf(&b, "    checked: %s\n", p.Checked)
				}
				for _, s := range p.Signs {
					fmt.Fprintf(&b, "    told by: %s\n", signText(s))
				}
			}
			_, err := io.WriteString(s.out, b.String())
			return err
		},
	}
}

// signText says what a recorded client is told by, and what that is worth.
func signText(s replay.Sign) string {
	if s.Shared != "" {
		return fmt.Sprintf("%s, perhaps: %s sends this too (%s)", s, s.Shared, s.Source)
	}
	return fmt.Sprintf("%s (%s)", s, s.Source)
}

func findingsCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "findings [CODE]",
		Short: "List the findings, or explain one",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			var codes []string
			for _, r := range analyze.Rules() {
				codes = append(codes, r.Code)
			}
			return codes, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				r, ok := analyze.FindRule(args[0])
				if !ok {
					return usageError{hinted{fmt.Errorf("no finding %q", args[0]), "mcptrace findings lists them"}}
				}
				_, err := fmt.Fprintf(s.out, "%s (%s)\n%s.\n\n%s\n\nRests on: %s\n", r.Code, r.Severity, r.Title, r.Text, r.Source)
				return err
			}
			var b strings.Builder
			for _, r := range analyze.Rules() {
				fmt.Fprintf(&b, "%-5s  %-32s %s\n", r.Severity, r.Code, r.Title)
			}
			_, err := io.WriteString(s.out, b.String())
			return err
		},
	}
}
