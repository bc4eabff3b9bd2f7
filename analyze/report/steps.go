package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// step is one moment in the course of an exchange.
type step struct {
	At         time.Duration // since the first request byte
	Start, End int64         // the body's bytes it is about, decoded; chunks: before decoding. -1: none
	Packet     int64         // 0: not known
	What       string
	Kind       stepKind
	Data       []byte // payload, cut; nil: not asked for
	order      int
}

type stepKind string

// The kinds of step, by which pictures choose their marks.
const (
	stepRequest stepKind = "request"
	stepHead    stepKind = "head"
	stepChunk   stepKind = "chunk"
	stepEvent   stepKind = "event"
	stepComment stepKind = "comment"
	stepAnswer  stepKind = "answer"
	stepEnd     stepKind = "end"
	stepBreak   stepKind = "break"
)

// stepsOf lays out the course of c in order of time. Without a Track it has no chunks and events.
func stepsOf(c *analyze.Case, t *Track, last time.Duration) []step {
	var out []step
	add := func(s step) { s.order = len(out); out = append(out, s) }
	if c.HasRequest {
		add(step{At: 0, Start: -1, End: -1, Packet: c.First, Kind: stepRequest, What: "request: first byte"})
		what := "request complete"
		if c.RequestAcked {
			what += ", and acknowledged later"
		}
		add(step{At: c.RequestEnd, Start: -1, End: -1, Kind: stepRequest, What: what})
	}
	if c.HeadAt >= 0 {
		add(step{At: c.HeadAt, Start: -1, End: -1, Kind: stepHead, What: headWords(c)})
	}
	if t != nil {
		for _, s := range t.steps(c) {
			add(s)
		}
	}
	if a := c.Answer(); a.Stream != nil || !slices.ContainsFunc(out, func(s step) bool { return s.Kind == stepAnswer }) {
		if a.At >= 0 && a.Level != capture.LevelNone {
			add(step{At: a.At, Start: -1, End: a.End, Packet: a.Packet, Kind: stepAnswer, What: answerWords(c)})
		}
	}
	add(endStep(c, last))
	slices.SortStableFunc(out, func(x, y step) int { return cmp.Or(cmp.Compare(x.At, y.At), cmp.Compare(x.order, y.order)) })
	return out
}

func headWords(c *analyze.Case) string {
	s := fmt.Sprintf("response head: %d", c.HTTP.Status)
	if c.HTTP.ContentType != "" {
		s += " " + clip(c.HTTP.ContentType, 60)
	}
	if c.HTTP.ContentEncoding != "" {
		s += ", " + clip(c.HTTP.ContentEncoding, 20)
	}
	return s + ", framing " + c.HTTP.Framing
}

// steps returns chunks and events, each event behind the chunk that completed it.
func (t *Track) steps(c *analyze.Case) []step {
	var out []step
	k := 0
	begin := int64(0)
	for _, ch := range t.Chunks {
		what := fmt.Sprintf("%d bytes", ch.End-begin)
		if late := ch.At - ch.Seen; late > 0 {
			what += fmt.Sprintf(", seen %s before they could be read", analyze.Dur(late))
		}
		out = append(out, step{At: ch.At, Start: begin, End: ch.End, Packet: ch.Packet, Kind: stepChunk, What: what})
		begin = ch.End
		for ; k < len(t.Events) && t.Events[k].At <= ch.At; k++ {
			out = append(out, t.Events[k].step(c))
		}
	}
	for ; k < len(t.Events); k++ {
		out = append(out, t.Events[k].step(c))
	}
	return out
}

func (e *TrackEvent) step(c *analyze.Case) step {
	s := step{At: e.At, Start: e.Start, End: e.End, Packet: e.Packet, Kind: stepEvent, Data: e.Data}
	switch e.Kind {
	case "comment":
		s.Kind, s.What = stepComment, "comment"
		return s
	case "block":
		s.What = "block without data: dispatches nothing"
		return s
	}
	s.What = fmt.Sprintf("event, %d bytes of data", e.DataLen)
	if e.Type != "" {
		s.What += ", event: " + e.Type
	}
	if e.HasID {
		s.What += ", with an id"
	}
	if m := messageAt(c.R(), e.End); m != nil {
		s.What += ": " + messageWords(m)
	}
	if c.Answer().Stream == nil && c.Answer().End == e.End && c.Dispatched() {
		s.Kind, s.What = stepAnswer, s.What+"; "+answerWords(c)
	}
	return s
}

func messageAt(r *capture.Reading, end int64) *capture.Inbound {
	for i := range r.Messages {
		if r.Messages[i].End == end && r.Messages[i].Level == capture.LevelDispatched {
			return &r.Messages[i]
		}
	}
	return nil
}

func messageWords(m *capture.Inbound) string {
	switch {
	case m.IsResponse():
		return "a response (id " + clip(string(m.ID), 40) + ")"
	case m.ID != "":
		return "request " + clip(m.Method, 60) + " (id " + clip(string(m.ID), 40) + ")"
	}
	return "notification " + clip(m.Method, 60)
}

// answerWords says how far the answer came.
func answerWords(c *analyze.Case) string {
	a := c.Answer()
	s := "the answer: " + strings.TrimSpace(string(a.Level)+" "+a.Kind)
	if a.Stream != nil {
		s += fmt.Sprintf(", on the stream of #%d", a.Stream.ID)
	}
	switch {
	case a.Delivered > 0:
		s += ", delivered (" + string(a.Evidence) + ")"
	case a.Delivered < 0:
		s += ", not delivered"
	default:
		s += ", not known whether delivered"
	}
	return s
}

func endStep(c *analyze.Case, last time.Duration) step {
	s := step{At: c.End().At, Start: -1, End: -1, Packet: c.End().Packet, Kind: stepEnd, What: "the response " + c.HowEnded()}
	if c.End().Kind == capture.EndOpen {
		s.At = last
	}
	if b := c.Break; b != nil {
		s.Kind = stepBreak
		if c.End().By == "client" && max(c.HeadAt, c.LastByte) > c.End().At {
			s.What += ": what came later reached nobody"
		} else {
			s.End = b.Offset
			s.What += ": broke " + whereWords[b.Where]
		}
	}
	if c.Hold.Known && c.Hold.Held >= time.Millisecond {
		s.What += fmt.Sprintf(", %s after the answer", analyze.Dur(c.Hold.Held))
	}
	return s
}

var whereWords = map[analyze.Where]string{
	analyze.BeforeHead: "before the response head", analyze.BeforeEvents: "before any event", analyze.BetweenEvents: "between events",
	analyze.InEvent: "within an event", analyze.InAnswer: "within the answer", analyze.AfterAnswer: "after the answer",
}
