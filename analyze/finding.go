package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/capture"
)

// Severity is how grave a finding is.
type Severity int

// The severities, in rising order.
const (
	Info Severity = iota
	Warn
	Error
)

var severities = [...]string{"info", "warn", "error"}

// String returns info, warn or error.
func (s Severity) String() string { return severities[s] }

// ParseSeverity returns the severity with that name.
func ParseSeverity(s string) (Severity, error) {
	for i, n := range severities {
		if n == s {
			return Severity(i), nil
		}
	}
	return 0, fmt.Errorf("no severity %q: want info, warn or error", s)
}

// Finding is one thing worth saying, with the place to look at.
type Finding struct {
	Code       string
	Severity   Severity
	Cases      []*Case       // the exchange it is about first
	Offset     int64         // in the decoded body; -1 none
	At         time.Duration // since the first case's start; -1 none
	Confidence string        // high, medium, low
	Gap        bool          // lowered because bytes are missing there
	Message    string
}

// Rule is one thing worth saying about exchanges.
type Rule struct {
	Code     string
	Severity Severity // the usual one; a finding may be lower
	Title    string   // a line
	Text     string   // what it means and what to do, in plain sentences
	Source   string   // the obligation it rests on
	Optional bool     // said on request only
	// One of these is there. Each looks at one exchange, All at the whole recording. Program looks at one exchange, and
	// what it says is told once per client program, see programs; exchanges on their next hop, and those with bytes
	// missing, it is not asked about: others tell the same with more right.
	Each    func(c *Case, a *Analyzer) []Finding
	All     func(a *Analyzer) []Finding
	Program func(c *Case, a *Analyzer) (string, Severity)
}

// about returns a finding on c at the moment and place given; -1 for none.
func about(c *Case, offset int64, at time.Duration, format string, args ...any) Finding {
	return Finding{Cases: []*Case{c}, Offset: offset, At: at, Confidence: "high", Message: fmt.Sprintf(format, args...)}
}

func one(f Finding) []Finding { return []Finding{f} }

// findings runs all rules and puts what they say in the order of the exchanges, and of the catalogue for each.
func (a *Analyzer) findings() {
	rules := slices.DeleteFunc(Rules(), func(r Rule) bool { return r.Optional && !a.opt.Optional })
	fs := a.findEach(rules)
	for i := range rules {
		if all := rules[i].All; all != nil {
			fs = append(fs, ruledBy(i, all(a))...)
			a.LetGo()
		}
	}
	slices.SortStableFunc(fs, func(x, y ruled) int {
		return cmp.Or(cmp.Compare(firstID(x.Finding), firstID(y.Finding)), cmp.Compare(x.rule, y.rule))
	})
	a.Findings = make([]Finding, 0, len(fs))
	for _, f := range fs {
		a.Findings = append(a.Findings, a.by(f, &rules[f.rule]))
		a.LetGo()
	}
}

// findEach runs those rules that look at one exchange.
func (a *Analyzer) findEach(rules []Rule) []ruled {
	var fs []ruled
	said := make([]programs, len(rules))
	for c := range a.each(a.cases) {
		plain := c.HopOf == nil && !c.holed
		for i := range rules {
			if each := rules[i].Each; each != nil {
				fs = append(fs, ruledBy(i, each(c, a))...)
			} else if program := rules[i].Program; program != nil && plain {
				text, sev := program(c, a)
				said[i].take(c, text, sev)
			}
		}
	}
	for i := range said {
		fs = append(fs, ruledBy(i, said[i].findings())...)
	}
	return fs
}

// ruledBy marks what a rule found as its own.
func ruledBy(rule int, found []Finding) []ruled {
	var fs []ruled
	for _, f := range found {
		fs = append(fs, ruled{rule, f})
	}
	return fs
}

// ruled is a finding with its rule's place in the catalogue.
type ruled struct {
	rule int
	Finding
}

// by returns the finding as the rule makes it.
func (a *Analyzer) by(f ruled, r *Rule) Finding {
	f.Code = r.Code
	if f.Severity == 0 {
		f.Severity = r.Severity
	}
	return a.lower(f.Finding)
}

func firstID(f Finding) int {
	if len(f.Cases) == 0 {
		return 0
	}
	return f.Cases[0].ID
}

// lower takes a finding down one step where bytes of its exchanges are missing from the capture, or were cut off.
func (a *Analyzer) lower(f Finding) Finding {
	why := "Bytes of this exchange are missing from the capture"
	for c := range a.each(f.Cases) {
		if c.holed && f.Code != "tcp-gap" {
			f.Gap = true
			if c.R().Cut {
				why = "A limit of mcptrace cut off a part of this exchange"
			}
		}
	}
	if f.Gap {
		f.Severity = max(Info, f.Severity-1)
		f.Confidence = map[string]string{"high": "medium", "medium": "low", "low": "low"}[f.Confidence]
		f.Message += " " + why + ", so this is less sure."
	}
	if f.Severity < 0 {
		f.Severity = Info
	}
	return f
}

// info marks a finding as information although its rule is graver.
const info = Severity(-1)

// name says which call it is, for a sentence: tools/call "pay" (id 3).
func (c *Case) name() string {
	k := c.call()
	switch {
	case k == nil && c.Proto() == "stdio":
		return "a message of the server's own"
	case k == nil && c.HTTP.Method == "":
		return "a response whose request was not captured"
	case k == nil:
		return c.HTTP.Method + " " + maskTarget(c.HTTP.Target)
	case c.R().Kind == capture.KindBatch:
		return fmt.Sprintf("a batch of %d", len(c.R().Calls))
	}
	s := k.Method
	if k.Method == "" {
		s = "a response of the client"
	}
	if k.Name != "" {
		s += " " + quote(k.Name)
	}
	if k.ID != "" {
		s += " (id " + clip(string(k.ID), 40) + ")"
	}
	return s
}
