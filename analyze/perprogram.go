package analyze

import (
	"fmt"
	"net/netip"
)

// programs makes one finding per client program and server of all exchanges for which a rule has a sentence: what a
// program does once it does always, and would otherwise be told thousands of times. A sentence of another severity makes
// a finding of its own; 0 stands for the rule's severity.
type programs struct {
	found map[program]int // index in all
	all   []Finding
}

// take adds what a rule says of c.
func (ps *programs) take(c *Case, text string, sev Severity) {
	if text == "" {
		return
	}
	p := program{c.Conn.Server, c.Group.ClientName, c.Group.ClientVersion, c.Header.UserAgent, sev}
	if i, ok := ps.found[p]; ok {
		ps.all[i].Cases = append(ps.all[i].Cases, c)
		return
	}
	if ps.found == nil {
		ps.found = map[program]int{}
	}
	ps.found[p] = len(ps.all)
	f := about(c, -1, 0, "%s", text)
	f.Severity = sev
	ps.all = append(ps.all, f)
}

// findings returns what was said.
func (ps *programs) findings() []Finding {
	for i := range ps.all {
		ps.all[i].Message += others(ps.all[i].Cases)
	}
	return ps.all
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
