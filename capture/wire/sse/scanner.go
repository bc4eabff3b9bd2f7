package sse

import "bytes"

const byteOrderMark = "\xEF\xBB\xBF"

// Scanner scans one stream. What it reports does not depend on how the bytes are split over Writes.
// It keeps the data of the current block and the beginning of an unfinished line.
type Scanner struct {
	h        Handler
	maxEvent int

	off   int64
	bom   int  // bytes of the byte order mark seen so far
	begun bool // past the byte order mark, or the lack of it

	block
	lineState

	cr crState // of the byte before
}

// crState says what a CR ended that may be the first half of a CR LF.
type crState uint8

const (
	noCR    crState = iota
	crLine          // a line with something in it
	crBlank         // a blank line that ended nothing
	crEvent         // the blank line that dispatched an event
)

// NewScanner returns a Scanner that reports to h.
func NewScanner(h Handler) *Scanner {
	s := &Scanner{h: h, maxEvent: MaxEvent}
	s.newBlock(0)
	return s
}

// Reset makes s as new, reporting to h. It keeps its buffers and the limit.
func (s *Scanner) Reset(h Handler) {
	*s = Scanner{h: h, maxEvent: s.maxEvent, block: block{data: s.data[:0]}, lineState: lineState{line: s.line[:0]}}
	s.newBlock(0)
}

// SetMaxEvent sets the limit on the bytes of data of one event. Call it before the first Write.
func (s *Scanner) SetMaxEvent(n int) { s.maxEvent = n }

// Offset returns the number of bytes written so far.
func (s *Scanner) Offset() int64 {
	if s.begun {
		return s.off
	}
	return int64(s.bom)
}

// BOM reports whether the stream begins with a byte order mark.
func (s *Scanner) BOM() bool { return s.bom == len(byteOrderMark) }

// Tail returns what stands after the last blank line. The LF of a CR LF that ended it does not count.
func (s *Scanner) Tail() Tail {
	t := Tail{
		Start: s.ev.Start, Len: s.Offset() - s.ev.Start,
		Data: s.data, HasData: s.ev.HasData || s.kind == lineFresh && string(s.line) == "data:",
		JSONOffset: s.ev.JSONOffset, DataEnd: s.ev.DataEnd,
		ID: s.ev.ID, HasID: s.ev.HasID, Truncated: s.ev.Truncated,
	}
	inField := s.kind != lineComment && s.kind != lineFresh || len(s.line) > 0
	t.CommentOnly = t.Len > 0 && s.begun && !s.hasField && !inField
	return t
}

// Write scans p, which it does not keep.
func (s *Scanner) Write(p []byte) {
	for !s.begun && len(p) > 0 {
		if p[0] != byteOrderMark[s.bom] {
			s.begun = true
			s.scan([]byte(byteOrderMark[:s.bom])) // it only looked like one
			break
		}
		p = p[1:]
		if s.bom++; s.BOM() {
			s.begun = true
			s.off = int64(s.bom)
			s.newBlock(s.off)
		}
	}
	s.scan(p)
	s.own()
}

// scan splits p into lines. Each byte is searched once for LF and once for CR, whichever of them
// the stream uses.
func (s *Scanner) scan(p []byte) {
	lf := -1
	for i := 0; i < len(p); {
		if s.cr != noCR && s.completeCR(p[i]) {
			i++
			continue
		}
		if lf < i {
			if lf = bytes.IndexByte(p[i:], '\n'); lf < 0 {
				lf = len(p)
			} else {
				lf += i
			}
		}
		end := lf
		if cr := bytes.IndexByte(p[i:lf], '\r'); cr >= 0 {
			end = i + cr
		}
		if end == len(p) {
			s.more(p[i:])
			return
		}
		s.endLine(p[i:end], p[end])
		i = end + 1
	}
}

// completeCR settles the CR before c and reports whether c is an LF that belongs to it.
func (s *Scanner) completeCR(c byte) bool {
	cr := s.cr
	s.cr = noCR
	if c != '\n' {
		if cr == crLine {
			s.eols |= eolCR
		}
		return false
	}
	if cr == crLine {
		s.eols |= eolCRLF
	} else {
		s.ev.Start++
	}
	s.off++
	if cr == crEvent {
		s.h.CRLF(s.off - 1)
	}
	return true
}

// more takes bytes of a line whose end is not among them.
func (s *Scanner) more(b []byte) {
	for len(b) > 0 {
		n := len(b)
		switch s.kind {
		case lineFresh:
			n = s.classify(b)
		case lineData:
			s.addData(b, s.off)
		case lineOther:
			s.addLine(b)
		}
		s.off += int64(n)
		b = b[n:]
	}
}

// classify takes the first bytes of a line, up to those that tell what it is, and returns their number.
func (s *Scanner) classify(b []byte) int {
	if len(s.line) == 0 && b[0] == ':' {
		s.kind = lineComment
		s.lineStart = s.off
		return 1
	}
	n := min(len(b), len("data: ")-len(s.line))
	s.line = append(s.line, b[:n]...)
	if len(s.line) < len("data: ") {
		return n
	}
	if value, ok := bytes.CutPrefix(s.line, []byte("data:")); ok {
		s.kind = lineData
		s.beginData()
		s.valueAt = len(s.data)
		if value[0] != ' ' {
			s.addData(value, s.off+int64(n)-1)
		}
	} else {
		s.kind = lineOther
	}
	return n
}

// endLine takes the last bytes of a line and its line end, LF or CR.
func (s *Scanner) endLine(b []byte, eol byte) {
	blank := false
	if s.kind == lineFresh && len(s.line) == 0 {
		blank = len(b) == 0
		s.wholeLine(b)
	} else {
		s.more(b)
		s.finishLine()
	}
	comment := s.kind == lineComment
	s.off++
	s.kind, s.line, s.lineCut = lineFresh, s.line[:0], false
	switch {
	case blank:
		s.dispatch(eol)
		return
	case comment:
		s.h.Comment(s.lineStart, s.off)
	}
	if eol == '\n' {
		s.eols |= eolLF
	} else {
		s.cr = crLine
	}
}

// dispatch ends the block at a blank line whose line end is at s.off-1.
func (s *Scanner) dispatch(eol byte) {
	isCR := eol == '\r'
	if isCR {
		s.cr = crBlank
	}
	if s.hasField {
		if isCR {
			s.cr = crEvent
		}
		s.ev.End = s.off
		if s.ev.Data = s.data; s.lent != nil {
			s.ev.Data = s.lent
		}
		s.ev.EndedByCR = isCR
		s.ev.BareCR = s.eols&eolCR != 0
		s.ev.MixedEOL = s.eols.mixed(isCR)
		s.h.Event(&s.ev)
	}
	s.newBlock(s.off)
}
