package sse

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// maxIdle is how many bytes an empty data buffer may occupy.
const maxIdle = 256 << 10

// block is what is known of the current block.
type block struct {
	ev       Event
	data     []byte
	lent     []byte // data that stands whole in the bytes being written, instead of in data: most events are one line
	hasField bool   // a line other than a comment is complete, or a data line begun
	eols     eols   // of its lines
	lastType string // of any block, to save an allocation for each event
}

// eols is a set of line ends.
type eols uint8

const (
	eolLF eols = 1 << iota
	eolCRLF
	eolCR
)

// mixed reports whether lines that ended as in e and a blank line ended by LF, or by a CR that may
// yet become a CR LF, do not all end alike.
func (e eols) mixed(blankCR bool) bool {
	if blankCR {
		return e&eolLF != 0 || e == eolCRLF|eolCR
	}
	return e&^eolLF != 0
}

// lineKind says where the bytes of an unfinished line go.
type lineKind uint8

const (
	lineFresh   lineKind = iota // to line, until it is known what it is
	lineData                    // to data
	lineOther                   // to line
	lineComment                 // nowhere
)

// lineState is what is known of an unfinished line.
type lineState struct {
	kind      lineKind
	line      []byte // its bytes, for lineFresh and lineOther
	lineStart int64  // its offset, for lineComment
	lineCut   bool   // a limit cut it
	valueAt   int    // index in data of its value, for lineData
}

func (s *Scanner) newBlock(start int64) {
	s.ev = Event{Start: start, JSONOffset: -1, DataEnd: -1, Retry: -1}
	s.hasField, s.eols, s.lent = false, 0, nil
	if s.data = s.data[:0]; cap(s.data) > maxIdle {
		s.data = nil
	}
}

// wholeLine takes a line none of which was taken before.
func (s *Scanner) wholeLine(b []byte) {
	start := s.off
	s.off += int64(len(b))
	switch {
	case len(b) == 0:
	case b[0] == ':':
		s.kind, s.lineStart = lineComment, start
	case bytes.HasPrefix(b, []byte("data:")):
		if value := bytes.TrimPrefix(b[len("data:"):], []byte(" ")); s.ev.DataLines == 0 && len(value) > 0 && len(value) <= s.maxEvent {
			s.lendData(value)
		} else {
			s.dataField(value)
		}
	default:
		s.addLine(b)
		s.field(s.line)
	}
}

// finishLine takes a line that more has collected.
func (s *Scanner) finishLine() {
	switch s.kind {
	case lineData:
		s.checkUTF8(s.data[s.valueAt:])
	case lineFresh, lineOther:
		s.field(s.line)
	}
}

// field interprets a line that is no comment; s.off is the offset just past it.
func (s *Scanner) field(line []byte) {
	s.hasField = true
	name, value, colon := bytes.Cut(line, []byte(":"))
	value = bytes.TrimPrefix(value, []byte(" "))
	if !colon {
		s.ev.NoColon = true
	}
	if s.lineCut {
		s.ev.Truncated = true
	}
	s.checkUTF8(line)
	switch string(name) {
	case "data":
		s.dataField(value)
	case "event":
		if s.lastType != string(value) {
			s.lastType = string(value)
		}
		s.ev.Type = s.lastType
	case "id":
		if bytes.IndexByte(value, 0) >= 0 {
			s.ev.NulID = true
		} else {
			s.ev.ID, s.ev.HasID = string(value), true
		}
	case "retry":
		if ms, ok := parseRetry(value); ok {
			s.ev.Retry = ms
		}
	}
}

// dataField takes the value of a data field in a line that ends at s.off.
func (s *Scanner) dataField(value []byte) {
	s.beginData()
	s.addData(value, s.off-int64(len(value)))
	s.checkUTF8(value)
}

// beginData begins a data line. The LF before all but the first stands for the one the rules append
// after each and take away from the last.
func (s *Scanner) beginData() {
	s.hasField = true
	s.ev.HasData = true
	if s.ev.DataLines++; s.ev.DataLines > 1 {
		s.keepData([]byte{'\n'})
	}
}

// addData takes bytes of a data line's value that begin at offset start.
func (s *Scanner) addData(b []byte, start int64) {
	if len(b) == 0 {
		return
	}
	if s.ev.JSONOffset < 0 {
		s.ev.JSONOffset = start
	}
	s.ev.DataEnd = start + int64(len(b))
	s.keepData(b)
}

// lendData takes the block's first data line without copying it.
func (s *Scanner) lendData(value []byte) {
	s.hasField, s.ev.HasData, s.ev.DataLines = true, true, 1
	s.ev.JSONOffset, s.ev.DataEnd = s.off-int64(len(value)), s.off
	s.lent = value
	s.checkUTF8(value)
}

// own copies lent data, whose bytes are about to go away or to be followed by more.
func (s *Scanner) own() {
	if s.lent != nil {
		s.data, s.lent = append(s.data, s.lent...), nil
	}
}

func (s *Scanner) keepData(b []byte) {
	s.own()
	if room := max(0, s.maxEvent-len(s.data)); len(b) > room {
		b = b[:room]
		s.ev.Truncated = true
		s.lineCut = true
	}
	s.data = append(s.data, b...)
}

func (s *Scanner) addLine(b []byte) {
	if room := MaxField - len(s.line); len(b) > room {
		b = b[:room]
		s.lineCut = true
	}
	s.line = append(s.line, b...)
}

// checkUTF8 judges a line, but not one that a limit may have cut within a character.
func (s *Scanner) checkUTF8(b []byte) {
	if !s.ev.BadUTF8 && !s.lineCut {
		s.ev.BadUTF8 = !utf8.Valid(b)
	}
}

// parseRetry reads ASCII digits, at least one; what does not fit is capped.
func parseRetry(b []byte) (ms int64, ok bool) {
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		if d := int64(c - '0'); ms > (math.MaxInt64-d)/10 {
			ms = math.MaxInt64
		} else {
			ms = ms*10 + d
		}
	}
	return ms, len(b) > 0
}
