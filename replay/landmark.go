package replay

import (
	"fmt"
	"time"

	"mcptrace/capture"
)

// Landmark is a place in a response that a person knows by name.
type Landmark struct {
	At     int64 // body bytes up to its end, transfer coding off, content coding on
	Name   string
	Answer bool
}

// Landmarks returns the landmarks of a response, ascending: its head, its events, the answer among them, the end of the
// body. Where the body is compressed, an event ends with the byte that makes it readable.
func Landmarks(ex *capture.Exchange, rd *capture.Reading) []Landmark {
	m := &ex.Response
	if m.Head == nil {
		return nil
	}
	out := []Landmark{{Name: "head"}}
	answer, _ := rd.LastAnswer(m.Head.Status)
	total := m.BodyLen()
	if rd.SSE {
		b := &blockEnds{m: m}
		m.Blocks(b)
		for k, e := range b.ends {
			l := Landmark{At: e.body, Name: fmt.Sprintf("event %d of %d", k+1, len(b.ends))}
			if answer >= 0 && rd.Messages[answer].Level == capture.LevelDispatched && rd.Messages[answer].Start == e.start {
				l.Name, l.Answer = l.Name+", the answer", true
			}
			out = append(out, l)
		}
	}
	if last := out[len(out)-1]; last.At < total {
		l := Landmark{At: total, Name: "end of the body"}
		if !rd.SSE && answer >= 0 {
			l.Name, l.Answer = "end of the body, the answer", true
		}
		out = append(out, l)
	}
	return out
}

// blockEnds collects where the events of a stream end.
type blockEnds struct {
	m    *capture.Message
	ends []blockEnd
	span int
	base int64 // body offset of the span
}

type blockEnd struct{ start, body int64 }

// Block implements capture.BlockHandler.
func (b *blockEnds) Block(e *capture.Block) {
	if e.HasData {
		b.ends = append(b.ends, blockEnd{e.Start, b.bodyOffset(e.WireEnd)})
	}
}

// Comment implements capture.BlockHandler.
func (b *blockEnds) Comment(int64, int64, time.Duration) {}

// CRLF implements capture.BlockHandler.
func (b *blockEnds) CRLF(int64) {}

// bodyOffset returns how many body bytes the first end bytes of Wire hold. end must not decrease.
func (b *blockEnds) bodyOffset(end int64) int64 {
	spans := b.m.Body
	for b.span+1 < len(spans) && spans[b.span].End < end {
		b.base += spans[b.span].Len()
		b.span++
	}
	return b.base + max(0, min(end, spans[b.span].End)-spans[b.span].Start)
}
