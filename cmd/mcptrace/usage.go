package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

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

// answerUsage has every wrong command line under root answered with what was wanted. Cobra's own errors have no types and
// no hints, and some are none: an unknown topic of help prints the usage.
func answerUsage(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error { return missingFlag(c) }
	answerArguments(root)
	if help, _, _ := root.Find([]string{"help"}); help != root {
		help.Args = func(_ *cobra.Command, topic []string) error {
			c, rest, _ := root.Find(topic)
			return noSuchCommand(c, rest)
		}
	}
}

// answerArguments has c and all below it say how they are called when they are called otherwise.
func answerArguments(c *cobra.Command) {
	c.DisableFlagsInUseLine = true // what Use says is the whole line
	if !c.HasSubCommands() {
		check := c.Args
		c.Args = func(c *cobra.Command, args []string) error {
			if err := check(c, args); err != nil {
				return usageError{hinted{err, "usage: " + c.UseLine()}}
			}
			return nil
		}
		return
	}
	c.Args = noSuchCommand
	if c.RunE == nil {
		c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
	for _, sub := range c.Commands() {
		answerArguments(sub)
	}
}

// noSuchCommand refuses args, the first of which should have been the name of a command under c.
func noSuchCommand(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := "see: " + c.CommandPath() + " --help"
	if meant := c.SuggestionsFor(args[0]); len(meant) > 0 {
		hint = "did you mean " + strings.Join(meant, " or ") + "?"
	}
	return usageError{hinted{fmt.Errorf("unknown command %q for %q", args[0], c.CommandPath()), hint}}
}

// someInput asks for at least one input.
func someInput(_ *cobra.Command, args []string) error {
	if len(args) == 0 {
		return errors.New("nothing to read: name at least one input")
	}
	return nil
}

// arguments asks for at least so many arguments, and at most so many.
func arguments(least, most int) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		switch n := len(args); {
		case n < least:
			return errors.New("too few arguments")
		case n > most:
			return fmt.Errorf("too many arguments: %q", args[most])
		}
		return nil
	}
}

// requiredHint is the annotation of a required flag that says what to give.
const requiredHint = "mcptrace_required_hint"

// requireFlag makes a flag required; hint says what to give.
func requireFlag(cmd *cobra.Command, name, hint string) {
	cmd.MarkFlagRequired(name)
	cmd.Flags().SetAnnotation(name, requiredHint, []string{hint})
}

// missingFlag names the first required flag that was not given.
func missingFlag(c *cobra.Command) (err error) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if hint := f.Annotations[requiredHint]; hint != nil && !f.Changed && err == nil {
			err = usageError{hinted{fmt.Errorf("--%s is missing", f.Name), hint[0]}}
		}
	})
	return err
}

// wanted says by the type of a flag what it takes.
var wanted = map[string]string{
	"address":  "HOST:PORT, such as 127.0.0.1:9090",
	"bool":     "true or false",
	"duration": "a time such as 60s or 1m30s",
	"int":      "a number",
	"size":     "a number of bytes above 0, perhaps with a unit, such as 500M",
}

// flagError says what was wanted where a flag is unknown or has a wrong value.
func flagError(c *cobra.Command, err error) error {
	if c.HasSubCommands() && c.Flags().NArg() > 0 { // flags of a command that is misspelt
		return noSuchCommand(c, c.Flags().Args())
	}
	hint := "see: " + c.CommandPath() + " --help"
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		f := invalid.GetFlag()
		if want := wanted[f.Value.Type()]; want != "" {
			err = fmt.Errorf("--%s %q: want %s", f.Name, invalid.GetValue(), want)
		}
	case errors.As(err, &unknown):
		if meant := flagMeant(c, unknown.GetSpecifiedName()); meant != "" {
			hint = meant
		}
	}
	return usageError{hinted{err, hint}}
}

// flagMeant says what an unknown flag of c may stand for: a value of one of its flags, or a flag of other commands; "" for
// nothing known.
func flagMeant(c *cobra.Command, name string) string {
	value := ""
	c.Flags().VisitAll(func(f *pflag.Flag) {
		if values, ok := c.GetFlagCompletionFunc(f.Name); ok && value == "" {
			if all, _ := values(c, nil, ""); slices.Contains(all, name) {
				value = "did you mean --" + f.Name + " " + name + "?"
			}
		}
	})
	if value != "" {
		return value
	}
	dashed := "--" + name
	if len(name) == 1 {
		dashed = "-" + name
	}
	if have := commandsWith(c.Root(), name); len(have) > 0 {
		return dashed + " is a flag of " + strings.Join(have, ", ")
	}
	return ""
}

// commandsWith returns the commands under c that have a flag, or a one-letter form of one, of that name.
func commandsWith(c *cobra.Command, name string) []string {
	var out []string
	for _, sub := range c.Commands() {
		f := sub.Flags().Lookup(name)
		if len(name) == 1 {
			f = sub.Flags().ShorthandLookup(name)
		}
		if f != nil && !f.Hidden && sub.IsAvailableCommand() {
			out = append(out, strings.TrimPrefix(sub.CommandPath(), c.Root().Name()+" "))
		}
		out = append(out, commandsWith(sub, name)...)
	}
	return out
}
