package report

import (
	"fmt"
	"strings"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// breakWords says in a clause how many responses broke, and where, and what else did not go through.
func breakWords(a *analyze.Analyzer) string {
	var after, before, other, client, listening, late int
	for c := range a.Each() {
		switch {
		case c.HopOf != nil:
		case c.Listens():
			if torn(c) {
				listening++
			}
		case c.Break == nil:
		case c.Break.Where == analyze.AfterAnswer:
			after++
		case c.IsCall():
			before++
		default:
			other++
		}
		if c.HopOf == nil && c.Break != nil && !c.Listens() && c.End().By == "client" {
			client++
		}
		if c.HopOf == nil && !c.Listens() && c.ClosedAfterAnswer() && !a.Consumed(c) {
			late++
		}
	}
	s := "no response broke"
	if n := after + before + other; n > 0 {
		s = analyze.Count(n, "response") + " broke" + places(after, before, other)
	}
	switch {
	case client > 0 && client == after+before+other:
		s += ", when the client closed"
	case client > 0:
		s += fmt.Sprintf(", %d of them when the client closed", client)
	}
	if late > 0 {
		s += "; the client closed " + analyze.Count(late, "stream") + " long after the answer"
	}
	if listening > 0 {
		s += "; " + analyze.Count(listening, "listening stream") + " broke"
	}
	if n := len(a.Failures); n > 0 {
		s += "; " + analyze.Count(n, "attempt") + " to connect failed"
	}
	return s
}

// torn reports whether a stream that is meant to stay open was ended by another than its client, and not in order.
func torn(c *analyze.Case) bool {
	switch c.End().Kind {
	case capture.EndFIN, capture.EndRST, capture.EndH2RST, capture.EndTLSAlert:
		return c.End().By != "client"
	}
	return false
}

// places says before or after what responses broke.
func places(after, before, other int) string {
	switch n := after + before + other; n {
	case after:
		return " after the answer"
	case before:
		return " before the answer"
	case other:
		return " where no answer was owed"
	}
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(after, "after the answer")
	add(before, "before")
	add(other, "where none was owed")
	return " (" + strings.Join(parts, ", ") + ")"
}

// lostWords says in a clause why a request got no answer.
func lostWords(c *analyze.Case) string {
	switch {
	case c.HTTP.Status >= 400 && c.End().Kind == capture.EndClean && !c.Dispatched():
		return fmt.Sprintf("status %d, without a JSON-RPC answer", c.HTTP.Status)
	case c.End().Kind == capture.EndNone && c.Stream != 0:
		return "no response; the stream " + c.HowEnded()
	case c.End().Kind == capture.EndNone:
		return "no response; the connection " + c.HowEnded()
	case c.End().Kind == capture.EndClean && !c.Dispatched():
		return "the response ended in order, without the answer"
	case c.Answer().Delivered < 0 && c.Dispatched():
		return "the answer came after the client had gone"
	}
	return "the response " + c.HowEnded()
}

// whyUnknown says in a clause why it is not known what became of a call.
func whyUnknown(c *analyze.Case) string {
	switch {
	case c.End().Kind == capture.EndOpen:
		return "the capture ended first"
	case c.R().Cut:
		return "a limit of mcptrace cut off a part of it"
	case c.R().Holed:
		return "bytes are missing from the capture"
	case !c.Dispatched():
		return "its answer is not in the capture"
	}
	return "the answer was not seen to be acknowledged"
}

// whoKnows says whose log to ask for what the capture does not, and how to capture more another time.
func whoKnows(c *analyze.Case) string {
	who := "ask the server's log whether it ran"
	if e, _ := c.Execution(); e == analyze.Executed {
		who = "it ran: ask the client's log whether the answer arrived"
	}
	switch {
	case c.End().Kind == capture.EndOpen:
		return who + "; capture for longer next time"
	case c.Dispatched() && c.Near() != "client" && c.Near() != "same-host":
		return who + "; capture near the client next time (docs/capturing.md)"
	}
	return who + "; docs/capturing.md says how to capture without losses"
}

// againWords says in a clause how a call was issued again.
func againWords(c *analyze.Case) string {
	l := c.Reissue
	first, s := l.Of, ""
	over := first.End().Kind != capture.EndOpen && first.Start+capture.Instant(first.End().At) <= c.Start
	switch {
	case !over && first.Cancelled != 0 && first.Cancelled <= c.Start:
		s = fmt.Sprintf("the client cancelled #%d after %s and sent it again as #%d; %s", first.ID, analyze.Dur(first.Cancelled.Sub(first.Start)), c.ID, l.Executed)
	default:
		s = fmt.Sprintf("#%d %s, again as #%d %s later", first.ID, l.Before(c), c.ID, analyze.Dur(l.Gap))
	}
	if l.Confidence == "medium" {
		s += ", probably the same call"
	}
	return s
}
