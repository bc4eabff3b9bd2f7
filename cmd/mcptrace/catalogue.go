package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcptrace/analyze"
	"mcptrace/replay"
)

func policiesCommand(s *streams) *cobra.Command {
	return &cobra.Command{
		Use:   "policies [NAME]",
		Short: "List the client policies, or explain one",
		Args:  arguments(0, 1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return policyNames(), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			ps := replay.Policies()
			if len(args) == 1 {
				k := slices.Index(policyNames(), args[0])
				if k < 0 {
					return usageError{hinted{fmt.Errorf("no policy %q", args[0]), "mcptrace policies lists them"}}
				}
				ps = ps[k : k+1]
			}
			_, err := io.WriteString(s.out, policyText(ps))
			return err
		},
	}
}

// policyNames returns the names of all policies, in the order of the catalogue.
func policyNames() []string {
	var names []string
	for _, p := range replay.Policies() {
		names = append(names, p.Name)
	}
	return names
}

// policyText says of each policy what it does, whose it is, and how that is known.
func policyText(ps []replay.Policy) string {
	var b strings.Builder
	for _, p := range ps {
		fmt.Fprintf(&b, "%s\n    %s\n    client: %s\n    source: %s\n", p.Name, p.Doc, p.Client, p.Source)
		if p.Checked != "" {
			fmt.Fprintf(&b, "    checked: %s\n", p.Checked)
		}
		for _, s := range p.Signs {
			fmt.Fprintf(&b, "    told by: %s\n", signText(s))
		}
	}
	return b.String()
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
		Args:  arguments(0, 1),
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
