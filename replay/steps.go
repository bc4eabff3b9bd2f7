package replay

import (
	"fmt"
	"time"

	"mcptrace/capture"
)

// Step is one moment of a response, as a reader by the rules meets it. It tells kinds and sizes, never payload.
type Step struct {
	Offset int64         // in the decoded body, just past it; -1: not in the body
	At     time.Duration // since the exchange's start; -1: never
	What   string
	Answer bool
}

// Steps returns the course of an exchange in order: the request, the head, each event, the answer among them, and the end.
func Steps(ex *capture.Exchange, rd *capture.Reading, last time.Duration) []Step {
	s := &stepper{ex: ex, rd: rd, answer: -1}
	status := 0
	if h := ex.Response.Head; h != nil {
		status = h.Status
	}
	s.answer, _ = rd.LastAnswer(status)
	if ex.Request.Wire.Len() > 0 {
		s.add(Step{Offset: -1, At: ex.RequestEnd(), What: fmt.Sprintf("request, %d bytes", ex.Request.Wire.Len())})
	}
	if m := &ex.Response; m.Head != nil && m.HeadEnd > 0 {
		at, _ := m.TimeAt(m.HeadEnd - 1)
		s.add(Step{Offset: 0, At: at, What: fmt.Sprintf("head, status %d", status)})
	}
	if rd.SSE {
		ex.Response.Blocks(s)
	}
	s.rest()
	s.end(last)
	return s.steps
}

// stepper collects Steps.
type stepper struct {
	ex     *capture.Exchange
	rd     *capture.Reading
	answer int // index in Messages of the answer, -1: none
	next   int // index of the next message
	events int
	steps  []Step
}

func (s *stepper) add(p Step) { s.steps = append(s.steps, p) }

// Block implements capture.BlockHandler.
func (s *stepper) Block(b *capture.Block) {
	p := Step{Offset: b.End, At: b.At, What: "block without data"}
	if b.HasData {
		s.events++
		p.What = fmt.Sprintf("event %d of %d: no message", s.events, s.rd.Events)
	}
	if len(b.Data) == 0 && b.HasData {
		p.What = fmt.Sprintf("event %d of %d: empty", s.events, s.rd.Events)
	}
	for first := true; s.next < len(s.rd.Messages) && s.rd.Messages[s.next].Level == capture.LevelDispatched && s.rd.Messages[s.next].End <= b.End; s.next++ {
		what := s.kind(s.next)
		if first {
			p.What, first = fmt.Sprintf("event %d of %d: %s", s.events, s.rd.Events, what), false
		} else {
			p.What += ", " + what
		}
		p.Answer = p.Answer || s.next == s.answer
	}
	if b.HasID && b.ID != "" {
		p.What += ", with an event id"
	}
	s.add(p)
}

// Comment implements capture.BlockHandler.
func (s *stepper) Comment(_, end int64, at time.Duration) {
	s.add(Step{Offset: end, At: at, What: "comment"})
}

// CRLF implements capture.BlockHandler.
func (s *stepper) CRLF(int64) {}

// kind names message k.
func (s *stepper) kind(k int) string {
	m := &s.rd.Messages[k]
	what := m.Kind.String()
	if k == s.answer {
		what += ", the answer"
	} else if m.Method != "" {
		what += " " + m.Method
	} else if m.IsResponse() {
		what += ", not the answer"
	}
	return what
}

// rest adds what no event dispatched: the messages of a JSON body, or an answer in the tail.
func (s *stepper) rest() {
	how := map[capture.Level]string{
		capture.LevelDispatched: "body", capture.LevelUnframed: "complete JSON that nothing ended", capture.LevelPartial: "beginning",
	}
	for ; s.next < len(s.rd.Messages); s.next++ {
		m := &s.rd.Messages[s.next]
		s.add(Step{Offset: m.End, At: m.At, What: fmt.Sprintf("%s of a message: %s", how[m.Level], s.kind(s.next)), Answer: s.next == s.answer && m.Level == capture.LevelDispatched})
	}
	if s.rd.SSE && s.rd.Tail > 0 {
		s.add(Step{Offset: s.rd.Decoded, At: s.rd.LastBody, What: fmt.Sprintf("%d bytes that no blank line had ended", s.rd.Tail)})
	}
}

var endings = map[capture.EndKind]string{
	capture.EndClean: "end of the response, as its framing says", capture.EndFIN: "closed before the framing was complete",
	capture.EndRST: "reset", capture.EndH2RST: "stream reset", capture.EndGoAway: "stream refused by GOAWAY",
	capture.EndCloseDelimited: "closed, which ends the body", capture.EndTLSAlert: "closed by a TLS alert",
	capture.EndOpen: "nothing more", capture.EndNone: "connection gone without a response byte",
}

func (s *stepper) end(last time.Duration) {
	e := &s.ex.Ending
	p := Step{Offset: s.rd.Decoded, At: e.At, What: endings[e.Kind]}
	if e.Kind == capture.EndOpen {
		p.At = last
	}
	if e.Kind == capture.EndCloseDelimited && e.How == capture.RST {
		p.What = "reset, where closing would have ended the body"
	}
	if e.By != "" {
		p.What += ", by the " + e.By
	}
	s.add(p)
}
