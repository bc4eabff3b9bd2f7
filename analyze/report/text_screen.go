package report

import (
	"fmt"
	"strings"
	"time"

	"mcptrace/analyze"
)

// The first screen: what a person on call needs before any table, within 25 lines.

// screen writes the rest of the first screen.
func (t *textReport) screen() {
	k := callersOf(t.a)
	in := ""
	if k.requests != k.Calls {
		in = " in " + analyze.Count(k.requests, "request")
	}
	t.printf("\n%s%s: %s. %s.\n\n", analyze.Count(k.Calls, "call"), in, k.outcomes(), upper(breakWords(t.a)))
	t.ranTwice(&k)
	t.lost(&k)
	t.unknown(&k)
	t.unreached()
	t.harmless()
	t.held()
	t.useful()
	t.clients()
	t.next(&k)
}

const topLines = 3 // of each list on the first screen

func (t *textReport) ranTwice(k *callers) {
	t.printf("RAN TWICE     %d certain, %d likely, %d possible", k.ran["certain"], k.ran["likely"], k.ran["possible"])
	if n := len(k.guessed); n > 0 {
		t.printf("; %d more %s", n, k.guesses())
	}
	t.printf("\n")
	cs := t.a.Reissues()
	for i, c := range cs {
		if i == topLines {
			t.printf("    and %d more\n", len(cs)-topLines)
			return
		}
		l := c.Reissue
		t.printf("    %s  %s: %s; %s%s\n", t.clock(c.Start), l.Duplicate, safe(clip(l.Of.Name(), 40)), againWords(c), packetsOfStarts(t.a, l.Of, c))
	}
}

func (t *textReport) lost(k *callers) {
	t.printf("LOST          %s", analyze.Count(k.Lost, "call"))
	if k.Lost > 0 {
		t.printf(", %s", k.ranAndLost())
	}
	if s := k.rescues(); s != "" {
		t.printf("; %s", s)
	}
	t.printf("\n")
	for i, s := range k.lost {
		if i == topLines {
			t.printf("    and %d more\n", len(k.lost)-topLines)
			return
		}
		c := s.First()
		t.printf("    %s  #%d %s: %s\n", t.clock(c.Start), c.ID, safe(clip(c.Name(), 48)), lostWords(c))
	}
}

func (t *textReport) unknown(k *callers) {
	if len(k.unknown) == 0 {
		t.printf("UNKNOWN       0 calls\n")
		return
	}
	c := undecided(k.unknown[0])
	t.printf("UNKNOWN       %s; the first is #%d: %s\n", analyze.Count(k.Unknown, "call"), c.ID, whyUnknown(c))
}

// undecided returns the attempt for which it is not known what a call came to.
func undecided(s *analyze.Story) *analyze.Case {
	for i := range s.Legs {
		if c := s.Legs[i].Case; c.IsCall() && c.Fate() == "unknown" {
			return c
		}
	}
	return s.First()
}

// unreached lists the attempts to connect that failed.
func (t *textReport) unreached() {
	fs := t.a.Failures
	if len(fs) == 0 {
		return
	}
	t.printf("NOT REACHED   %s to connect failed\n", analyze.Count(len(fs), "attempt"))
	for i, f := range fs {
		if i == topLines {
			t.printf("    and %d more\n", len(fs)-topLines)
			return
		}
		by := ""
		if f.By != "" {
			by = " by the " + f.By
		}
		t.printf("    %s  %s to %s: %s%s\n", t.clock(f.Start), addressOr(f.Client), addressOr(f.Server), f.Kind, by)
	}
}

func (t *textReport) harmless() {
	n := t.a.NotProblems()
	var parts []string
	add := func(k int, what string) {
		if k > 0 {
			parts = append(parts, fmt.Sprintf(what, analyze.Count(k, "stream")))
		}
	}
	add(t.hadAnswer(), "%s closed at once by a client that had its answer")
	add(n.Polls, "%s closed for the client to poll")
	add(n.RefusedGETs, "%s asked for by GET and refused (405)")
	if n.AuthLegs > 0 {
		parts = append(parts, "credentials asked for "+analyze.Count(n.AuthLegs, "time"))
	}
	if len(parts) > 0 {
		t.printf("NOT PROBLEMS  %s\n", strings.Join(parts, ", "))
	}
}

// hadAnswer counts the streams that a client closed because it had its answer.
func (t *textReport) hadAnswer() int {
	n := 0
	for c := range t.a.Each() {
		if c.HopOf == nil && c.ClosedAfterAnswer() && t.a.Consumed(c) && c.Fate() == "delivered" {
			n++
		}
	}
	return n
}

func (t *textReport) held() {
	cs := t.a.HeldOpen()
	var sum time.Duration
	late := 0
	for c := range t.a.Through(cs) {
		sum += c.Hold.Held
		if c.ClosedAfterAnswer() && !t.a.Consumed(c) {
			late++
		}
	}
	if len(cs) == 0 {
		t.printf("HELD          0 streams for long\n")
		return
	}
	t.printf("HELD          %s left open by the server for %s after the answer; clients really waited %s; %d timed out\n", analyze.Count(len(cs), "stream"), analyze.Dur(sum), analyze.Dur(t.a.Totals.Blocked), late)
	t.printf("    longest: #%d %s, answered after %s, held for %s\n", cs[0].ID, safe(clip(cs[0].Name(), 40)), analyze.Dur(cs[0].Answer().At), analyze.Dur(cs[0].Hold.Held))
}

func (t *textReport) useful() {
	if u := t.a.FirstUseful(); len(u) > 0 {
		t.printf("FIRST ANSWER  of use after %s (p50), %s (p95) in %s\n", analyze.Dur(analyze.Percentile(u, 50)), analyze.Dur(analyze.Percentile(u, 95)), analyze.Count(len(u), "session"))
	}
}

func (t *textReport) clients() {
	cs := t.a.Clients()
	for i, x := range cs {
		label := "CLIENTS"
		if i > 0 {
			label = ""
		}
		if i == topLines {
			t.printf("    and %d more\n", len(cs)-topLines)
			return
		}
		name := strings.TrimSpace(x.Name + " " + x.Version)
		if name == "" {
			name = "unnamed"
		}
		if x.UserAgent != "" {
			name += " (" + clip(x.UserAgent, 30) + ")"
		}
		t.printf("%-13s %s: %s%s\n", label, safe(name), analyze.Count(x.Calls, "request"), habits(x))
	}
}

// habits says what a client does, by what it did.
func habits(x analyze.ClientSummary) string {
	var parts []string
	add := func(k int, what string) {
		if k > 0 {
			parts = append(parts, fmt.Sprintf(what, k))
		}
	}
	add(x.Reissued, "issued %d again")
	if x.Waited > 0 {
		parts = append(parts, "waited for the end of "+analyze.Count(x.Waited, "stream")+" after the answer")
	}
	if x.Early > 0 {
		parts = append(parts, "closed "+analyze.Count(x.Early, "stream")+" after the answer")
	}
	add(x.GaveUp, "gave up on %d")
	add(x.Resumed, "resumed %d")
	if len(parts) == 0 {
		return ""
	}
	return "; " + strings.Join(parts, ", ")
}
