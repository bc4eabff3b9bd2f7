package report

import (
	"bufio"
	"fmt"
	"io"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

var textFormat = Format{Name: "text", Doc: "for people: a first screen that says what happened, then tables", Write: writeText}

// writeText writes the first screen and then the tables.
func writeText(w io.Writer, a *analyze.Analyzer, o Options) error {
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	out := &sticky{w: bufio.NewWriter(w)}
	t := textReport{out, a, o}
	t.captured()
	if why := a.Diagnosis(); len(why) > 0 {
		fmt.Fprintln(out, "\nNothing to judge.")
		for _, s := range why {
			fmt.Fprintln(out, "  "+safe(s))
		}
		return out.flush()
	}
	t.screen()
	t.stories()
	t.cuts()
	t.exchanges()
	t.latency()
	t.whatIf()
	t.findings()
	return out.flush()
}

// sticky remembers the first error of its writer, so that the code above can write lines without asking each time.
type sticky struct {
	w   *bufio.Writer
	err error
}

// Write implements io.Writer.
func (s *sticky) Write(p []byte) (int, error) {
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), s.err
}

func (s *sticky) flush() error {
	if s.err != nil {
		return s.err
	}
	return s.w.Flush()
}

// textReport writes the text of one analysis.
type textReport struct {
	out *sticky
	a   *analyze.Analyzer
	o   Options
}

func (t *textReport) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// clock writes a moment: of the day, for its date stands on the first line, or with its date where there are several.
func (t *textReport) clock(i capture.Instant) string {
	if t.a.Last.Sub(t.a.First) > 24*time.Hour {
		return i.Time().In(t.o.Zone).Format("2006-01-02 15:04:05.000")
	}
	return i.Time().In(t.o.Zone).Format("15:04:05.000")
}

// exchanges writes one line per exchange: all of a small capture, of a large one those with warnings.
func (t *textReport) exchanges() {
	cases, left := t.a.Cases(), 0
	if len(cases) > maxRows {
		grave := t.a.Grave()
		var kept []*analyze.Case
		for _, c := range cases {
			if grave[c.ID] >= analyze.Warn && len(kept) < maxRows {
				kept = append(kept, c)
			}
		}
		left, cases = len(cases)-len(kept), kept
	}
	t.printf("\nEXCHANGES\n")
	var rows [][]string
	for _, c := range cases {
		rows = append(rows, t.row(c))
	}
	if len(rows) > 0 {
		if err := table(t.out, []string{"#", "time", "call", "status", "answer", "after", "delivered", "end", "held", "re-issue of"}, map[int]bool{0: true, 5: true, 8: true}, rows); err != nil && t.out.err == nil {
			t.out.err = err
		}
	}
	if left > 0 {
		t.printf("%d more without warnings are left out; --format json has them all.\n", left)
	}
}

// maxRows is how many lines of a table a person will look through.
const maxRows = 100

func (t *textReport) row(c *analyze.Case) []string {
	status, answer, when, held, of := "–", string(c.Answer().Level), "", "", ""
	if c.HTTP.Status != 0 {
		status = fmt.Sprint(c.HTTP.Status)
	}
	if c.Answer().Kind != "" && c.Answer().Level != capture.LevelNone {
		answer += " " + c.Answer().Kind
	}
	if !c.IsCall() && c.HasRequest {
		answer = ""
	}
	if c.Answer().At >= 0 && c.Dispatched() {
		when = analyze.Dur(c.Answer().At)
	}
	if c.Hold.Known && c.Hold.Held >= time.Millisecond {
		held = analyze.Dur(c.Hold.Held)
		if c.Hold.Censored {
			held = ">" + held
		}
	}
	if c.Reissue != nil {
		of = fmt.Sprintf("#%d (%s)", c.Reissue.Of.ID, c.Reissue.Duplicate)
		if c.Reissue.Confidence == "low" {
			of = fmt.Sprintf("#%d?%s", c.Reissue.Of.ID, ranIfRepeat[c.Reissue.Duplicate])
		}
	}
	if c.HopOf != nil {
		of = fmt.Sprintf("hop of #%d", c.HopOf.ID)
	}
	return []string{fmt.Sprint(c.ID), t.clock(c.Start), clip(c.Name(), 48), status, answer, when, delivered(c), endWords(c), held, of}
}

func delivered(c *analyze.Case) string {
	if !c.IsCall() {
		return ""
	}
	switch {
	case c.Answer().Delivered > 0 && c.Answer().Stream != nil:
		return fmt.Sprintf("yes (on #%d)", c.Answer().Stream.ID)
	case c.Answer().Delivered > 0:
		return "yes (" + string(c.Answer().Evidence) + ")"
	case c.Answer().Delivered < 0:
		return "no"
	}
	return "not known"
}

// ranIfRepeat says of a request that perhaps repeats another, and perhaps is meant, how sure it is that both ran.
var ranIfRepeat = map[string]string{"certain": " (both ran)", "likely": " (both likely ran)", "possible": " (both may have run)",
	"unlikely": " (both hardly ran)", "no": " (not both ran)"}

// endWords says in a cell how the response ended, and by whom.
func endWords(c *analyze.Case) string {
	by := ""
	if c.End().By != "" {
		by = " by " + c.End().By
	}
	switch c.End().Kind {
	case capture.EndFIN:
		return "cut" + by
	case capture.EndRST:
		return "reset" + by
	case capture.EndH2RST:
		return "stream reset" + by
	case capture.EndGoAway:
		return "refused by GOAWAY"
	case capture.EndTLSAlert:
		return "TLS alert" + by
	case capture.EndCloseDelimited:
		return "with the connection"
	case capture.EndNone:
		return map[bool]string{true: "reset", false: "closed"}[c.End().How == capture.RST] + by + ", no response"
	}
	return string(c.End().Kind)
}

// findings writes what the rules say, the gravest first within each exchange's order.
func (t *textReport) findings() {
	counts := map[analyze.Severity]int{}
	for _, f := range t.a.Findings {
		counts[f.Severity]++
	}
	t.printf("\nFINDINGS  %s, %s, %s\n", analyze.Count(counts[analyze.Error], "error"), analyze.Count(counts[analyze.Warn], "warning"), analyze.Count(counts[analyze.Info], "note"))
	n := 0
	for _, sev := range []analyze.Severity{analyze.Error, analyze.Warn, analyze.Info} {
		for _, f := range t.a.Findings {
			if f.Severity != sev {
				continue
			}
			if n++; n > maxRows {
				t.printf("%d more are left out; --format json has them all.\n", len(t.a.Findings)-maxRows)
				return
			}
			where := ""
			if len(f.Cases) > 0 {
				where = fmt.Sprintf(" #%d", f.Cases[0].ID)
			}
			t.printf("%-5s %s%s: %s (confidence %s)\n", sev, f.Code, where, safe(f.Message), f.Confidence)
		}
	}
}
