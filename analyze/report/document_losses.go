package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// loss is why an attempt got no answer, as far as that decides who could change it.
type loss int

const (
	gaveUp   loss = iota // the client closed or cancelled
	unasked              // the request never came whole
	cutOff               // the stream was ended by the server, or by who knows whom
	failed               // a status of 500 or more
	refused              // a status of 300 to 499
	wordless             // the response ended in order without an answer
	losses               // how many there are
)

func lossOf(c *analyze.Case) loss {
	switch {
	case !c.R().RequestWhole && c.HeadAt < 0 && !c.R().Holed:
		return unasked
	case c.End().By == "client" && c.End().Kind != capture.EndClean, c.Cancelled != 0, closedFirst(c):
		return gaveUp
	case c.HTTP.Status >= 500:
		return failed
	case c.HTTP.Status >= 300:
		return refused
	case c.End().Kind == capture.EndClean && !c.Dispatched():
		return wordless
	}
	return cutOff
}

// closedFirst reports whether the client closed its connection before the response was over, whatever the server went on to say.
func closedFirst(c *analyze.Case) bool {
	f := c.Conn.FirstClosing(capture.Client)
	return f != nil && f.At.Sub(c.Start) < c.End().At
}

// needless reports whether a lost attempt is no loss: its call was answered, and it had been refused or came after.
func needless(c *analyze.Case) bool {
	s := c.Story
	return s != nil && s.Outcome == analyze.Answered && (lossOf(c) == refused || s.By.ID < c.ID)
}

// overLosses is the advice over attempts that got no answer, by what most of them have in common.
func (w *writer) overLosses() *advice {
	var by [losses][]*analyze.Case
	most, all := gaveUp, 0
	for c := range w.a.Through(w.a.Fates("lost")) {
		if needless(c) {
			continue
		}
		k := lossOf(c)
		by[k] = append(by[k], c)
		all++
	}
	for k := range by {
		if len(by[k]) > len(by[most]) {
			most = loss(k)
		}
	}
	cs := by[most]
	if len(cs) == 0 {
		return nil
	}
	x := &advice{cases: cs}
	switch most {
	case gaveUp:
		x.what = fmt.Sprintf("In the client: it gave up after %s, before it had the answer. If that was its timeout, raise it, or make %s safe to repeat.", patience(cs), toolsOf(cs))
		x.why = gotNone(cs) + ": the client closed or cancelled first."
	case unasked:
		x.what = "In the client, or on the way: find out what ends requests before they are complete."
		x.why = gotNone(cs) + ": the request had not come whole."
	case failed:
		x.what = fmt.Sprintf("In the server, or the gateway in front of it: find out why it answers with status %s.", statuses(cs))
		x.why = gotNone(cs) + ": a status without a JSON-RPC answer came instead."
	case refused:
		x.what = fmt.Sprintf("Between client and server: find out why the server refuses %s (status %s).", toolsOf(cs), statuses(cs))
		x.why = gotNone(cs) + ": the server refused."
	case wordless:
		x.what = "In the server: send the answer before ending the response."
		x.why = gotNone(cs) + ": the response ended in order without one."
	default:
		x.what = "In the server, or what stands in front of it: find out what ends the streams before the answer."
		x.why = gotNone(cs) + "; the table says how each ended."
	}
	if n := all - len(cs); n > 0 {
		x.why += fmt.Sprintf(" %s got none for other reasons.", upper(plural(n, "more attempt")))
	}
	return x
}

// gotNone begins the sentence that says why there was no answer.
func gotNone(cs []*analyze.Case) string {
	ran := 0
	for _, c := range cs {
		if e, _ := c.Execution(); e == analyze.Executed {
			ran++
		}
	}
	s := plural(len(cs), "attempt") + " got no answer"
	switch {
	case ran == 0:
		return s
	case len(cs) == 1:
		return s + " although it ran"
	}
	return s + fmt.Sprintf(", %d of them although they ran", ran)
}

// patience says after how long the client gave up: "1.5 s", or "1.5 s to 2 s".
func patience(cs []*analyze.Case) string {
	var waits []time.Duration
	for _, c := range cs {
		waits = append(waits, gaveUpAfter(c))
	}
	least, most := analyze.Dur(slices.Min(waits)), analyze.Dur(slices.Max(waits))
	if least == most {
		return least
	}
	return least + " to " + most
}

// gaveUpAfter is how long after its request a client cancelled or closed.
func gaveUpAfter(c *analyze.Case) time.Duration {
	if c.Cancelled != 0 {
		return c.Cancelled.Sub(c.Start)
	}
	if closedFirst(c) {
		return c.Conn.FirstClosing(capture.Client).At.Sub(c.Start)
	}
	return c.End().At
}

// toolsOf names what was called, "the calls" where that are several things. Text from the wire in it is quoted.
func toolsOf(cs []*analyze.Case) string {
	name := ""
	for i, c := range cs {
		n := "the call"
		if len(c.R().Calls) == 1 {
			if n = c.R().Calls[0].Method; c.R().Calls[0].Name != "" {
				n = strconv.Quote(clip(c.R().Calls[0].Name, 60))
			}
		}
		if i > 0 && n != name {
			return "the calls"
		}
		name = n
	}
	return name
}

// statuses lists the statuses of responses, each once, ascending.
func statuses(cs []*analyze.Case) string {
	var ns []int
	for _, c := range cs {
		ns = append(ns, c.HTTP.Status)
	}
	slices.Sort(ns)
	var out []string
	for _, n := range slices.Compact(ns) {
		out = append(out, strconv.Itoa(n))
	}
	return strings.Join(out, ", ")
}
