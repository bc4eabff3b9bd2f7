package analyze

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"mcptrace/capture"
)

// Three or more sessions lost within this time were lost to one event.
const (
	restartWindow = 5 * time.Second
	restartFrom   = 3
)

var serverRestart = Rule{
	Code: "server-restart", Severity: Warn,
	Title:  "Many sessions were lost at one moment",
	Text:   "Sessions that had been in use were cut or no longer known within a few seconds: the server was restarted, deployed anew, or an instance died. Keep sessions outside the process, drain before stopping, or go without sessions.",
	Source: "observation; MCP transports, Session Management",
	All: func(a *Analyzer) []Finding {
		by := map[string][]loss{}
		var order []string
		for s := range a.eachSession() {
			l, ok := s.lost(a)
			if !ok || l.c.Proto() == "stdio" {
				continue
			}
			if by[s.Server] == nil {
				order = append(order, s.Server)
			}
			by[s.Server] = append(by[s.Server], l)
		}
		var fs []Finding
		for _, server := range order {
			fs = append(fs, restarts(server, by[server])...)
		}
		return fs
	},
}

// loss is how a session was lost: the last sign of it before, and what showed it.
type loss struct {
	c  *Case
	at capture.Instant
}

// lost returns when a session that had been in use was first found gone. Its id was refused, or the server cut a stream
// of it and nothing of it was answered any more.
func (s *Session) lost(a *Analyzer) (loss, bool) {
	used := false
	var cut loss
	for c := range a.each(s.Cases) {
		if c.HopOf != nil {
			continue
		}
		switch {
		case c.HTTP.Status == 404 && c.Header.Session != "" && used && !c.Modern:
			if cut.c != nil {
				return cut, true
			}
			return loss{c, c.Start}, true
		case c.HTTP.Status >= 200 && c.HTTP.Status < 300 && c.dispatched():
			used = true
			if cut.c != nil && c.Start > cut.at {
				cut = loss{}
			}
		}
		if cut.c == nil && c.Break != nil && c.End().By != "client" && (c.listens() || c.isCall()) && c.over() != 0 {
			cut = loss{c, c.over()}
		}
	}
	return cut, cut.c != nil && used
}

// restarts finds the moments at which several sessions of one server were lost.
func restarts(server string, ls []loss) []Finding {
	slices.SortFunc(ls, func(x, y loss) int { return cmp.Compare(x.at, y.at) })
	var fs []Finding
	for i := 0; i < len(ls); {
		j := i
		for j < len(ls) && ls[j].at.Sub(ls[i].at) <= restartWindow {
			j++
		}
		if j-i >= restartFrom {
			f := about(ls[i].c, -1, ls[i].at.Sub(ls[i].c.Start), "%s", fmt.Sprintf("%d sessions at %s were lost within %s.", j-i, server, dur(ls[j-1].at.Sub(ls[i].at))))
			f.Cases, f.Confidence = nil, "medium"
			for _, l := range ls[i:j] {
				f.Cases = append(f.Cases, l.c)
			}
			fs = append(fs, f)
		}
		i = j
	}
	return fs
}
