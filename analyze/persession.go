package analyze

import "fmt"

// perSession makes one finding per session of all exchanges for which test has a sentence; a habit of a client would
// otherwise be told thousands of times. A sentence of another severity makes
// a finding of its own; 0 stands for the rule's severity.
//
// Exchanges on their next hop, and those with bytes missing, are left out: others tell the same with more right.
func perSession(test func(c *Case, a *Analyzer) (string, Severity)) func(*Analyzer) []Finding {
	return func(a *Analyzer) []Finding {
		type key struct {
			s   *Session
			sev Severity
		}
		found := map[key]int{}
		var fs []Finding
		for _, c := range a.cases {
			if c.HopOf != nil || c.R.Holed {
				continue
			}
			text, sev := test(c, a)
			if text == "" {
				continue
			}
			k := key{c.Group, sev}
			i, ok := found[k]
			if !ok {
				i = len(fs)
				found[k] = i
				f := about(c, -1, 0, "%s", text)
				f.Severity = sev
				fs = append(fs, f)
				continue
			}
			fs[i].Cases = append(fs[i].Cases, c)
		}
		for i := range fs {
			if n := len(fs[i].Cases); n > 1 {
				fs[i].Message += fmt.Sprintf(" The same holds for %d more of session %s.", n-1, fs[i].Cases[0].Group.Label)
			}
		}
		return fs
	}
}
