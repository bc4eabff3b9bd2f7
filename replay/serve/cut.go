package serve

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Cut breaks a response at another place, or in another way, than it broke when it was recorded. It is applied the first
// time a session is served the exchange; a call that is issued again gets the recorded response.
type Cut struct {
	Exchange int   // its number; 0: every exchange with an answer
	At       Place // the zero Place: where it ended when recorded
	End      End   // the zero End: as it ended when recorded, FIN where that was a clean end and the body is cut short
}

// Place is where a response is cut.
type Place struct {
	kind placeKind
	n    int64
}

type placeKind uint8

const (
	placeEnd placeKind = iota
	placeByte
	placeAfterAnswer
	placeBeforeAnswer
	placeEvent
)

// AtByte is behind n bytes of the response's body, as recorded: transfer coding taken off, content coding left on.
func AtByte(n int64) Place { return Place{placeByte, n} }

// AfterAnswer is behind the byte that completes the answer; BeforeAnswer in front of the event, or body, that holds it.
var (
	AfterAnswer  = Place{kind: placeAfterAnswer}
	BeforeAnswer = Place{kind: placeBeforeAnswer}
)

// AfterEvent is behind the k-th event of the stream, counted from 1.
func AfterEvent(k int) Place { return Place{placeEvent, int64(k)} }

// ParsePlace reads a place: a number of bytes, after-answer, before-answer or event:K.
func ParsePlace(s string) (Place, error) {
	switch s {
	case "after-answer":
		return AfterAnswer, nil
	case "before-answer":
		return BeforeAnswer, nil
	}
	k, event := strings.CutPrefix(s, "event:")
	n, err := strconv.ParseInt(k, 10, 64)
	if err != nil || n < 0 {
		return Place{}, fmt.Errorf("place %q: want a number of bytes, after-answer, before-answer or event:K", s)
	}
	if event {
		return Place{placeEvent, n}, nil
	}
	return AtByte(n), nil
}

// String returns the place as ParsePlace reads it.
func (p Place) String() string {
	switch p.kind {
	case placeByte:
		return strconv.FormatInt(p.n, 10)
	case placeAfterAnswer:
		return "after-answer"
	case placeBeforeAnswer:
		return "before-answer"
	case placeEvent:
		return "event:" + strconv.FormatInt(p.n, 10)
	}
	return "its end"
}

// End is how a cut response ends.
type End struct {
	kind endKind
	set  bool
	hold time.Duration
}

// The endings. A held response goes on without another byte.
var (
	FIN  = End{kind: endFIN, set: true}
	RST  = End{kind: endRST, set: true}
	Hold = End{kind: endHold, set: true}
)

// HoldFor holds the response for d and closes it then.
func HoldFor(d time.Duration) End { return End{kind: endHold, set: true, hold: d} }

// ParseEnd reads an ending: fin, rst, hold or hold:DURATION; stall means hold.
func ParseEnd(s string) (End, error) {
	name, d, long := strings.Cut(s, ":")
	switch {
	case s == "fin":
		return FIN, nil
	case s == "rst":
		return RST, nil
	case name == "hold" || name == "stall":
		if !long {
			return Hold, nil
		}
		if t, err := time.ParseDuration(d); err == nil && t >= 0 {
			return HoldFor(t), nil
		}
	}
	return End{}, fmt.Errorf("ending %q: want fin, rst, hold or hold:DURATION", s)
}

// String returns the ending as ParseEnd reads it.
func (e End) String() string {
	if e.hold > 0 {
		return "hold:" + e.hold.String()
	}
	return e.kind.String()
}

// ErrCut says that a response, or a recording, has no place to cut at as asked.
var ErrCut = errors.New("no such place to cut at")

// where returns the place in Wire behind which nothing is sent, -1: the plan has no such place.
func (c *Cut) where(p *plan) int64 {
	if p.m.Head == nil {
		return -1
	}
	switch c.At.kind {
	case placeByte:
		if c.At.n > p.bodyBefore(p.stop) {
			return -1
		}
		return p.cutAt(c.At.n)
	case placeAfterAnswer:
		if p.answer < 0 {
			return -1
		}
		return p.answer
	case placeBeforeAnswer:
		if p.answers < 0 {
			return -1
		}
		return p.cutAt(p.bodyBefore(p.answers))
	case placeEvent:
		if c.At.n == 0 {
			return p.m.HeadEnd
		}
		if c.At.n > int64(len(p.marks)) {
			return -1
		}
		return p.marks[c.At.n-1].wireEnd
	}
	return p.stop
}

// check returns ErrCut, wrapped, if the cut applies to nothing in the recording: a test of a client would pass without it.
func (c *Cut) check(r *Recording) error {
	bytes, events := int64(0), 0
	for _, e := range r.entries {
		if c.Exchange != 0 && c.Exchange != e.number {
			continue
		}
		p := r.planOf(e)
		if _, _, ok := c.apply(e, p); ok {
			return nil
		}
		if c.Exchange != 0 {
			return fmt.Errorf("exchange %d: %w: %s", e.number, ErrCut, p.misses(c.At))
		}
		if p.answers >= 0 {
			bytes, events = max(bytes, p.bodyBefore(p.stop)), max(events, len(p.marks))
		}
	}
	if c.Exchange != 0 {
		return fmt.Errorf("%w: there is no exchange %d", ErrCut, c.Exchange)
	}
	return fmt.Errorf("%w: %s (the longest body has %d bytes; most events: %d)", ErrCut, c.At, bytes, events)
}

// misses says of a response that it has no such place.
func (p *plan) misses(at Place) string {
	if p.m.Head == nil {
		return fmt.Sprintf("%s (there is no response)", at)
	}
	return fmt.Sprintf("%s (body bytes: %d, events: %d)", at, p.bodyBefore(p.stop), len(p.marks))
}

// apply returns where and how the response is to end under the cut; ok is false where the cut does not apply.
func (c *Cut) apply(e *entry, p *plan) (stop int64, end ending, ok bool) {
	if c.Exchange != 0 && c.Exchange != e.number || c.Exchange == 0 && p.answers < 0 {
		return p.stop, p.end, false
	}
	stop = c.where(p)
	if stop < 0 || stop > p.stop {
		return p.stop, p.end, false
	}
	end = ending{kind: c.End.kind, hold: c.End.hold, at: -1}
	switch {
	case c.End.set:
	case stop < p.stop && p.end.kind == endClean:
		end.kind = endFIN
	default:
		end = p.end
	}
	if e.ex.Proto == "2" && end.kind == endRST {
		end.kind, end.code = endStream, internalError
	}
	return stop, end, true
}

// internalError is the code with which servers reset an HTTP/2 stream that broke. Source: RFC 9113 section 7.
const internalError = 2

// Where says in the words of the report where a response stands after off bytes of Wire.
func (p *plan) wordFor(off int64) string {
	switch {
	case p.m.Head == nil || off < p.m.HeadEnd:
		return "before-head"
	case p.answer >= 0 && off >= p.answer:
		return "after-answer"
	case p.bodyBefore(off) == 0:
		return "before-events"
	case p.answers >= 0 && off > p.answers:
		return "in-answer"
	}
	for _, k := range p.marks {
		if k.wireEnd >= off {
			if k.wireEnd == off {
				return "between-events"
			}
			if p.wireOf(k.start) < off {
				return "in-event"
			}
			return "between-events"
		}
	}
	return "in-event"
}
