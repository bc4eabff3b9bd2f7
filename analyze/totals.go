package analyze

import (
	"strings"
	"time"

	"mcptrace/capture"
)

// Totals are the counts over a whole recording. Each call counts once, on its first hop.
type Totals struct {
	Exchanges               int // HTTP exchanges of MCP endpoints, hops included
	Calls                   int // client requests with an id, each element of a batch
	Delivered               int // calls whose answer reached the client's host
	Lost                    int // calls not delivered whose exchange has ended
	LostExecuted            int // of these, with evidence that they ran
	Unknown                 int // the rest
	Breaks                  int
	BreaksByClient          int
	BreaksAfterAnswer       int
	ClientClosesAfterAnswer int
	Reissues                int // confidence high or medium
	Duplicates              int // of these, certain
	DuplicatesLikely        int
	Hold, Blocked           time.Duration
}

func (a *Analyzer) total() {
	t := &a.Totals
	t.Exchanges = len(a.cases)
	for c := range a.each(a.cases) {
		if c.HopOf != nil {
			continue
		}
		switch {
		case !c.HasRequest, !c.calls:
		case c.delivered && c.alone():
			t.Calls++
			t.Delivered++
		default:
			for i := range c.Answers() {
				a.countCall(c, &c.Answers()[i])
			}
		}
		a.countBreak(c)
		t.Hold += c.Hold.Held
		t.Blocked += c.Hold.Blocked
		if l := c.Reissue; l != nil && l.Confidence != "low" {
			t.Reissues++
			switch l.Duplicate {
			case "certain":
				t.Duplicates++
			case "likely":
				t.DuplicatesLikely++
			}
		}
	}
	for s := range a.eachSession() {
		s.sum(a)
	}
}

func (a *Analyzer) countCall(c *Case, an *Answer) {
	t := &a.Totals
	t.Calls++
	switch c.fate(an) {
	case "delivered":
		t.Delivered++
	case "lost":
		t.Lost++
		if an.Level != capture.LevelNone && an.Kind == "result" {
			t.LostExecuted++
		}
	default:
		t.Unknown++
	}
}

// fate says what became of a call for the totals: delivered, lost or unknown.
func (c *Case) fate(an *Answer) string {
	switch {
	case an.Delivered > 0:
		return "delivered"
	case an.Delivered == 0 || c.End().Kind == capture.EndOpen:
		return "unknown"
	case c.pollClose() || c.taskPoll():
		return "unknown"
	case c.Transport() == "http+sse" && an.Level == capture.LevelNone && c.Origin != nil && c.Origin.End().Kind == capture.EndOpen:
		return "unknown"
	}
	return "lost"
}

// taskPoll reports whether the call is one of a task's, whose body lies outside the capture.
func (c *Case) taskPoll() bool {
	k := c.call()
	return k != nil && strings.HasPrefix(k.Method, "tasks/")
}

// pollClose reports whether the server closed on purpose after an event id, for the client to come back with
// Last-Event-ID: allowed before 2026-07-28.
func (c *Case) pollClose() bool {
	if c.Modern || !c.sse || c.dispatched() || len(c.R().Marks) == 0 {
		return false
	}
	return c.Answer().Level == capture.LevelNone && (c.End().Kind == capture.EndClean || c.End().Kind == capture.EndCloseDelimited && c.End().How != capture.RST)
}

func (a *Analyzer) countBreak(c *Case) {
	t := &a.Totals
	if _, ok := c.closedAfterAnswer(); ok && !c.listens() {
		t.ClientClosesAfterAnswer++
	}
	if c.Break == nil || c.listens() {
		return
	}
	t.Breaks++
	if c.End().By == "client" {
		t.BreaksByClient++
	}
	if c.Break.Where == AfterAnswer {
		t.BreaksAfterAnswer++
	}
}

// overhead are the calls that are no use to anyone by themselves.
var overhead = map[string]bool{"initialize": true, "server/discover": true, "ping": true}

// sum adds up what a session cost.
func (s *Session) sum(a *Analyzer) {
	for c := range a.each(s.Cases) {
		if c.HopOf != nil {
			continue
		}
		s.Hold += c.Hold.Held
		s.Blocked += c.Hold.Blocked
		if !c.calls || overhead[c.verb] || s.FirstUseful >= 0 && c.Start.Sub(s.Start) >= s.FirstUseful {
			continue
		}
		if c.alone() && !c.delivered {
			continue
		}
		for i := range c.Answers() {
			an := &c.Answers()[i]
			if an.Delivered > 0 && an.Call != nil && !overhead[an.Call.Method] {
				if at := c.at(an.At).Sub(s.Start); s.FirstUseful < 0 || at < s.FirstUseful {
					s.FirstUseful = at
				}
			}
		}
	}
}
