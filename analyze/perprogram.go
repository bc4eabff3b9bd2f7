package analyze

import (
	"fmt"
	"net/netip"
)

// perProgram makes one finding per client program and server of all exchanges for which test has a sentence: what a
// program does once it does always, and would otherwise be told thousands of times. A sentence of another severity makes
// a finding of its own; 0 stands for the rule's severity.
//
// Exchanges on their next hop, and those with bytes missing, are left out: others tell the same with more right.
func perProgram(test func(c *Case, a *Analyzer) (string, Severity)) func(*Analyzer) []Finding {
	return func(a *Analyzer) []Finding {
		found := map[program]int{}
		var fs []Finding
		for _, c := range a.cases {
			if c.HopOf != nil || c.R.Holed {
				continue
			}
			text, sev := test(c, a)
			if text == "" {
				continue
			}
			p := program{c.Conn.Server, c.Group.ClientName, c.Group.ClientVersion, c.Header.UserAgent, sev}
			i, ok := found[p]
			if !ok {
				i = len(fs)
				found[p] = i
				f := about(c, -1, 0, "%s", text)
				f.Severity = sev
				fs = append(fs, f)
				continue
			}
			fs[i].Cases = append(fs[i].Cases, c)
		}
		for i := range fs {
			fs[i].Message += others(fs[i].Cases)
		}
		return fs
	}
}

// program is a client program at a server, as far as it names itself, with a severity.
type program struct {
	server               netip.AddrPort
	name, version, agent string
	sev                  Severity
}

// others says of how many more exchanges the same holds.
func others(cs []*Case) string {
	if len(cs) < 2 {
		return ""
	}
	sessions := map[*Session]bool{}
	for _, c := range cs {
		sessions[c.Group] = true
	}
	return fmt.Sprintf(" The same holds for %s, %s in all.", plural(len(cs)-1, "exchange")+" more", plural(len(sessions), "session"))
}
