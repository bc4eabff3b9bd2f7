package stdio

import (
	"bytes"

	"mcptrace/capture"
)

// line collects one direction's line under way.
type line struct {
	max   int
	text  []byte
	marks []mark
	holes []capture.Span
	cut   bool
	end   int64 // offset just past what was read
}

// mark is a run of bytes that were read together. It reaches to the next mark's off.
type mark struct {
	off    int // in text
	at     capture.Instant
	packet int64 // line of a log, 0 elsewhere
}

// add adds p, which holds no newline but at its end.
func (l *line) add(p []byte, s capture.Stamp) {
	l.end += int64(len(p))
	if room := l.max - len(l.text); len(p) > room {
		p, l.cut = p[:max(0, room)], true
	}
	if len(p) == 0 {
		return
	}
	if n := len(l.marks); n == 0 || l.marks[n-1].at != s.Seen {
		l.marks = append(l.marks, mark{len(l.text), s.Seen, s.Packet})
	}
	l.text = append(l.text, p...)
}

// miss adds n bytes that were not kept. They are zero.
func (l *line) miss(n int64, s capture.Stamp) {
	l.end += n
	from := len(l.text)
	k := int(min(n, int64(l.max-from)))
	if int64(k) < n {
		l.cut = true
	}
	if k <= 0 {
		return
	}
	l.marks = append(l.marks, mark{from, s.Seen, s.Packet})
	l.text = append(l.text, make([]byte, k)...)
	l.holes = append(l.holes, capture.Span{Start: int64(from), End: int64(from + k)})
}

// blank reports whether there is nothing in it but white space: no message.
func (l *line) blank() bool { return len(bytes.TrimSpace(l.text)) == 0 }

func (l *line) start() capture.Instant { return l.marks[0].at }

func (l *line) last() capture.Instant { return l.marks[len(l.marks)-1].at }

// moveTo appends the line to m, a message of ex, and returns the offset in its Wire just past it.
func (l *line) moveTo(m *capture.Message, ex *capture.Exchange) int64 {
	base := m.Wire.Len()
	for _, k := range l.marks {
		at := ex.SinceStart(k.at)
		m.Chunks = append(m.Chunks, capture.Chunk{Off: base + int64(k.off), Packet: k.packet, Seen: at, At: at})
	}
	for _, h := range l.holes {
		m.Holes = append(m.Holes, capture.Span{Start: base + h.Start, End: base + h.End})
	}
	m.Wire.Append(l.text)
	m.Cut = m.Cut || l.cut
	m.Body = []capture.Span{{Start: 0, End: m.Wire.Len()}}
	return m.Wire.Len()
}

// reset begins the next line.
func (l *line) reset() {
	*l = line{max: l.max, text: l.text[:0], marks: l.marks[:0], end: l.end}
	if cap(l.text) > 1<<20 {
		l.text = nil
	}
}
