package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"mcptrace/analyze"
)

// stories tells the worst few logical calls of several exchanges, each in one sentence.
func (t *textReport) stories() {
	var worst []*analyze.Story
	for _, s := range t.a.Stories {
		if badness(s) > 0 {
			worst = append(worst, s)
		}
	}
	if len(worst) == 0 {
		return
	}
	slices.SortStableFunc(worst, func(x, y *analyze.Story) int { return cmp.Compare(badness(y), badness(x)) })
	t.printf("\nSTORIES  the calls that took more than one request or got no answer, the worst first\n")
	for i, s := range worst {
		if i == maxStories {
			t.printf("  and %d more; --format json has them all\n", len(worst)-maxStories)
			return
		}
		t.printf("  %s  %s%s\n", t.clock(s.First().Start), safe(s.String()), t.storyPackets(s)+storyDoubt(s))
	}
}

// storyPackets says between which packets of the capture a story lies, and of which file where there are several; "" where
// there are no packets.
func (t *textReport) storyPackets(s *analyze.Story) string {
	w := writer{a: t.a}
	var from, to *analyze.Case
	var first, last int64
	for _, l := range s.Legs {
		c := l.Case
		if c.First == 0 {
			continue
		}
		if from == nil || w.input(c) == w.input(from) && c.First < first {
			from, first = c, c.First
		}
		if to == nil || w.input(c) != w.input(to) || c.LastPacket() > last {
			to, last = c, c.LastPacket()
		}
	}
	if from == nil {
		return ""
	}
	begins, ends := w.of(w.input(from)), w.of(w.input(to))
	if begins == ends {
		begins = ""
	}
	return safe(fmt.Sprintf(" (packets %d%s to %d%s)", first, begins, last, ends))
}

// storyDoubt says where it is not sure that the requests of a story are one call's.
func storyDoubt(s *analyze.Story) string {
	if s.Confidence == "low" {
		return " (that they are one call is a guess)"
	}
	return ""
}

const maxStories = 5

// badness orders stories: what ran twice and what was lost first, then those of many exchanges.
func badness(s *analyze.Story) int {
	n := len(s.Legs) - s.Count(analyze.RoleHop) - 1
	switch {
	case s.RanAtLeast > 1:
		n += 400
	case s.Outcome == analyze.Lost && s.RanAtLeast > 0:
		n += 300
	case s.Outcome == analyze.Lost && s.RanAtMost > 0:
		n += 200
	case s.RanAtMost > 1:
		n += 100
	case s.Outcome == analyze.Lost:
		n += 50
	}
	return n
}

// cuts tells who seems to end the streams, and after how long.
func (t *textReport) cuts() {
	if len(t.a.Cuts) == 0 {
		return
	}
	t.printf("\nCUTS\n")
	for i, k := range t.a.Cuts {
		if i == maxStories {
			t.printf("  and %d more; --format json has them all\n", len(t.a.Cuts)-maxStories)
			return
		}
		t.printf("  %s at %s: %s (confidence %s)\n", k.Kind, safe(k.Server+clip(k.Path, 60)), k, k.Confidence)
	}
}

// latency writes how long calls took, method by method and tool by tool.
func (t *textReport) latency() {
	ls := t.a.Latencies()
	if len(ls) == 0 {
		return
	}
	t.printf("\nLATENCY  of requests whose answers passed, from the request's last byte to the answer's\n")
	var rows [][]string
	for _, l := range ls[:min(len(ls), maxLatencyRows)] {
		row := []string{clip(l.Method, 40), clip(l.Name, 40), strconv.Itoa(l.Calls), strconv.Itoa(l.Answered), strconv.Itoa(l.Errors), "", "", ""}
		if l.Answered > 0 {
			row[5], row[6], row[7] = analyze.Dur(l.P50), analyze.Dur(l.P95), analyze.Dur(l.Max)
		}
		if l.Answered == 2 {
			row[5] = "" // two values have none in the middle
		}
		rows = append(rows, row)
	}
	right := map[int]bool{2: true, 3: true, 4: true, 5: true, 6: true, 7: true}
	if err := table(t.out, []string{"method", "name", "requests", "answered", "errors", "p50", "p95", "worst"}, right, rows); err != nil && t.out.err == nil {
		t.out.err = err
	}
	if left := len(ls) - maxLatencyRows; left > 0 {
		t.printf("%d more are left out; --format json has them all.\n", left)
	}
}

const maxLatencyRows = 20
