package http2

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// log is a Handler that writes down what it is told, a DATA frame at its end.
type log struct {
	t      testing.TB
	frames []logged
	lost   []span
	data   map[uint32]string // bodies by stream; a lost byte is a "?"
	open   []byte            // of the DATA frame being told
	next   int64             // no byte before is told of again
}

// logged is one event; start is -1 where the Handler is not told it.
type logged struct {
	start, end int64
	text       string
	whole      bool // nothing is missing
}

type span struct{ start, end int64 }

func newLog(t testing.TB) *log { return &log{t: t, data: map[uint32]string{}} }

func (l *log) add(start, end int64, whole bool, format string, args ...any) {
	l.frames = append(l.frames, logged{start, end, fmt.Sprintf(format, args...), whole})
}

// take checks that no byte is told of twice or out of order.
func (l *log) take(start, end int64) {
	if start < l.next || end <= start {
		l.t.Errorf("told of [%d,%d) when everything before %d had been told", start, end, l.next)
	}
	l.next = end
}

func (l *log) Headers(stream uint32, fields []Field, endStream bool, start, end int64, complete bool) {
	l.add(start, end, complete, "headers %d %s end=%v", stream, show(fields), endStream)
}

func (l *log) PushPromise(stream, promised uint32, fields []Field, end int64) {
	l.add(-1, end, true, "push %d %d %s", stream, promised, show(fields))
}

func (l *log) Data(stream uint32, p []byte, start, end int64, off int64) {
	if off < start+headLen || off+int64(len(p)) > end || len(p) == 0 {
		l.t.Errorf("data [%d,%d) in frame [%d,%d)", off, off+int64(len(p)), start, end)
	}
	l.take(off, off+int64(len(p)))
	l.open = append(l.open, p...)
}

func (l *log) LostData(stream uint32, n int64, off int64) {
	l.take(off, off+n)
	l.open = append(l.open, strings.Repeat("?", int(n))...)
}

func (l *log) DataEnd(stream uint32, endStream bool, end int64) {
	text := string(l.open)
	l.open = nil
	l.data[stream] += text
	l.add(-1, end, !strings.Contains(text, "?"), "data %d %q end=%v", stream, text, endStream)
}

func (l *log) Reset(stream uint32, code uint32, end int64) {
	l.add(-1, end, true, "reset %d %s", stream, CodeName(code))
}

func (l *log) GoAway(last uint32, code uint32, end int64) {
	l.add(-1, end, true, "goaway %d %s", last, CodeName(code))
}

func (l *log) Settings(end int64, ack bool) { l.add(-1, end, true, "settings ack=%v", ack) }

func (l *log) Ping(ack bool, end int64) { l.add(-1, end, true, "ping ack=%v", ack) }

func (l *log) Lost(start, end int64) {
	l.take(start, end)
	if n := len(l.lost); n > 0 && l.lost[n-1].end == start {
		l.lost[n-1].end = end
		return
	}
	l.lost = append(l.lost, span{start, end})
}

func show(fields []Field) string {
	var b strings.Builder
	for _, f := range fields {
		fmt.Fprintf(&b, "%s=%s;", f.Name, f.Value)
	}
	return b.String()
}

func (l *log) String() string {
	var b strings.Builder
	for _, f := range l.frames {
		fmt.Fprintf(&b, "[%d,%d) %s", f.start, f.end, f.text)
		if !f.whole {
			b.WriteString(" (not whole)")
		}
		b.WriteByte('\n')
	}
	for _, s := range l.lost {
		fmt.Fprintf(&b, "lost [%d,%d)\n", s.start, s.end)
	}
	if len(l.open) > 0 {
		fmt.Fprintf(&b, "open %q\n", l.open)
	}
	return b.String()
}

// read gives a new Reader pieces of a direction and returns what it told.
func read(t testing.TB, fromClient bool, pieces ...string) *log {
	l := newLog(t)
	r := NewReader(l, fromClient)
	for _, p := range pieces {
		r.Write([]byte(p))
	}
	r.Close()
	return l
}

// splits calls try with s cut in many ways: whole, byte by byte, at every place (or at some, if s is long), at
// random.
func splits(s string, try func(how string, pieces ...string)) {
	try("whole", s)
	try("byte by byte", strings.Split(s, "")...)
	step := 1 + len(s)*len(s)/(8<<20)
	for i := 1; i < len(s); i += step {
		try(fmt.Sprintf("cut at %d", i), s[:i], s[i:])
	}
	rnd := rand.New(rand.NewPCG(1, uint64(len(s))))
	for range 20 {
		var pieces []string
		for rest := s; rest != ""; {
			n := 1 + rnd.IntN(min(len(rest), 1+rnd.IntN(3000)))
			pieces = append(pieces, rest[:n])
			rest = rest[n:]
		}
		try("at random", pieces...)
	}
}

// frameBytes writes a frame.
func frameBytes(kind, flags byte, stream uint32, payload string) string {
	n := len(payload)
	return string([]byte{byte(n >> 16), byte(n >> 8), byte(n), kind, flags,
		byte(stream >> 24), byte(stream >> 16), byte(stream >> 8), byte(stream)}) + payload
}
