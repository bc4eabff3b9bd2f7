package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"mcptrace/capture"
	"mcptrace/capture/source/proxy"
)

// liveView shows on standard error what passes. On a terminal each exchange gets a line as it is over, above a line that
// says what is open; elsewhere only notices are written. Its methods may be called from any goroutine.
type liveView struct {
	w     io.Writer
	lines bool // a line per exchange, and the line of counts
	stats func() proxy.Stats

	mu     sync.Mutex
	shown  string // the line of counts on the screen
	total  int
	repeat string // the last notice
	times  int
}

func newLiveView(w io.Writer, quiet bool, stats func() proxy.Stats) *liveView {
	f, ok := w.(*os.File)
	return &liveView{w: w, lines: ok && !quiet && term.IsTerminal(int(f.Fd())), stats: stats}
}

// notice writes a warning. What is said again and again is written at each power of ten.
func (v *liveView) notice(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if text != v.repeat {
		v.repeat, v.times = text, 0
	}
	v.times++
	if v.times > 1 {
		if !powerOfTen(v.times) {
			return
		}
		text = fmt.Sprintf("%s (%d times)", text, v.times)
	}
	v.line("mcptrace: warning: " + oneLine(text))
}

func powerOfTen(n int) bool {
	for n%10 == 0 {
		n /= 10
	}
	return n == 1
}

// exchange shows one that is over.
func (v *liveView) exchange(ex *capture.Exchange, rd *capture.Reading) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.total++
	if v.lines {
		v.line(exchangeLine(ex, rd))
	}
}

// line writes a line above the counts. The caller holds the lock.
func (v *liveView) line(text string) {
	if v.shown != "" {
		fmt.Fprint(v.w, "\r\x1b[K")
		v.shown = ""
	}
	fmt.Fprintln(v.w, text)
	v.counts()
}

// tick refreshes the counts.
func (v *liveView) tick() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.counts()
}

func (v *liveView) counts() {
	if !v.lines {
		return
	}
	s := v.stats()
	text := fmt.Sprintf("%d clients, %d streams open, %d exchanges recorded", s.Links, s.InFlight, v.total)
	if text != v.shown {
		fmt.Fprint(v.w, "\r\x1b[K"+text)
		v.shown = text
	}
}

// done takes the counts off the screen.
func (v *liveView) done() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.shown != "" {
		fmt.Fprint(v.w, "\r\x1b[K")
		v.shown = ""
	}
	v.lines = false
}

// exchangeLine says in one line what became of an exchange.
func exchangeLine(ex *capture.Exchange, rd *capture.Reading) string {
	var b strings.Builder
	b.WriteString(ex.Start.Time().Local().Format("15:04:05.000 "))
	status := 0
	if h := ex.Response.Head; h != nil {
		status = h.Status
	}
	switch {
	case len(rd.Calls) > 0:
		k := &rd.Calls[0]
		fmt.Fprintf(&b, " %-16s", strings.TrimSpace(k.Method+" "+k.Name))
		if k.ID != "" {
			fmt.Fprintf(&b, " id %s", k.ID)
		}
	case ex.Request.Head != nil:
		fmt.Fprintf(&b, " %-16s", ex.Request.Head.Method)
	}
	if status != 0 {
		fmt.Fprintf(&b, "  %d", status)
	}
	if len(rd.Calls) > 0 && rd.Calls[0].IsCall() {
		b.WriteString("  " + answerText(ex, rd, status))
	}
	e := &ex.Ending
	if e.Kind != capture.EndClean {
		fmt.Fprintf(&b, "  end: %s", e.Kind)
		if e.By != "" {
			fmt.Fprintf(&b, " by %s", e.By)
		}
		fmt.Fprintf(&b, " after %d bytes", ex.Response.BodyLen())
	}
	return oneLine(b.String())
}

func answerText(ex *capture.Exchange, rd *capture.Reading, status int) string {
	i, _ := rd.LastAnswer(status)
	if i < 0 {
		return "NO ANSWER"
	}
	m := &rd.Messages[i]
	switch {
	case m.Level != capture.LevelDispatched:
		return "answer " + string(m.Level)
	case m.AckedAt < 0:
		return "answer NOT TAKEN by the client"
	}
	text := fmt.Sprintf("%s in %s", m.Kind, round(m.At))
	if held := ex.Ending.At - m.At; held >= 100*time.Millisecond {
		text += fmt.Sprintf(", held open %s", round(held))
	}
	return text
}

func round(d time.Duration) time.Duration {
	switch {
	case d > 10*time.Second:
		return d.Round(100 * time.Millisecond)
	case d > time.Second:
		return d.Round(10 * time.Millisecond)
	case d > time.Millisecond:
		return d.Round(100 * time.Microsecond)
	}
	return d.Round(time.Microsecond)
}
