package replay

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"mcptrace/capture/wire/jsonrpc"
)

// rubyStream reads an event stream as ruby-mcp-client does: every line is stripped of white space on both sides, so a line
// of blanks ends an event, a field name may be indented, and data loses its own blanks.
//
// Up to 2.1 only LF ends a line. From 3.0 on CR and CR LF do too, a byte order mark is dropped, and a second reading of
// the same bytes (salvage) wants field names at the start of the line and truly empty lines.
//
// Sources: ruby-mcp-client lib/mcp_client/server_streamable_http/json_rpc_transport.rb (extract_sse_events,
// select_sse_response), lib/mcp_client/http_transport_base.rb (complete_sse_events, body_carries_response?).
type rubyStream struct {
	v3   bool
	want jsonrpc.ID

	bom   int // bytes of a byte order mark seen; -1: past it
	cr    bool
	line  []byte
	event rubyEvent
	sum   rubySummary

	// Salvage.
	framed   bool        // a line begins as a field or a comment does
	block    []byte      // data of the block
	hasData  bool        // … has some
	carries  bool        // a complete block holds the answer
	badText  bool        // a complete block holds invalid UTF-8
	blockBad bool        // … the block under way does
	complete rubySummary // as of the last empty line
	tooLarge bool
}

// rubyEvent is the event under way.
type rubyEvent struct {
	other bool // named other than message
	data  []byte
	lines int
	id    string
}

// rubySummary is what the events read so far amount to.
type rubySummary struct {
	events    int
	answer    object // the first that answers the call
	only      object // the only response, if there is one
	responses int
	invalid   bool   // data that is no JSON
	cursor    string // the last event id that may be sent back
}

// maxEvent bounds the data kept of one event, or of a JSON body.
const maxEvent = 64 << 20

const byteOrderMark = "\xEF\xBB\xBF"

func (s *rubyStream) write(p []byte) {
	if s.v3 && s.bom >= 0 {
		p = s.dropBOM(p)
	}
	for len(p) > 0 {
		if s.cr && p[0] == '\n' {
			s.cr, p = false, p[1:]
			continue
		}
		s.cr = false
		i := bytes.IndexByte(p, '\n')
		if s.v3 {
			i = lineEnd(p)
		}
		if i < 0 {
			s.keep(p)
			return
		}
		s.keep(p[:i])
		s.cr = p[i] == '\r'
		s.endLine()
		p = p[i+1:]
	}
}

// lineEnd returns the index of the first CR or LF, -1: none.
func lineEnd(p []byte) int {
	lf := bytes.IndexByte(p, '\n')
	if lf < 0 {
		return bytes.IndexByte(p, '\r')
	}
	if cr := bytes.IndexByte(p[:lf], '\r'); cr >= 0 {
		return cr
	}
	return lf
}

// dropBOM takes the byte order mark off, which may come in pieces.
func (s *rubyStream) dropBOM(p []byte) []byte {
	for len(p) > 0 && s.bom >= 0 {
		if p[0] != byteOrderMark[s.bom] {
			s.keep([]byte(byteOrderMark[:s.bom]))
			s.bom = -1
			return p
		}
		p = p[1:]
		if s.bom++; s.bom == len(byteOrderMark) {
			s.bom = -1
		}
	}
	return p
}

func (s *rubyStream) keep(p []byte) {
	if len(s.line)+len(s.event.data)+len(p) > maxEvent {
		s.tooLarge = true
		return
	}
	s.line = append(s.line, p...)
}

func (s *rubyStream) endLine() {
	line := s.line
	s.line = s.line[:0]
	if s.v3 {
		s.salvageLine(line)
	}
	if s.event.line(line) {
		s.sum.add(&s.event, s.want)
		s.event = rubyEvent{data: s.event.data[:0]}
	}
	if s.v3 && len(line) == 0 {
		s.complete = s.sum
	}
}

// line takes a line and reports whether it ends the event.
func (e *rubyEvent) line(raw []byte) bool {
	line := bytes.Trim(raw, rubySpace)
	switch {
	case len(line) == 0:
		return true
	case bytes.HasPrefix(line, []byte("event:")):
		e.other = string(rubyValue(line, len("event:"))) != "message"
	case bytes.HasPrefix(line, []byte("data:")):
		if e.lines > 0 {
			e.data = append(e.data, '\n')
		}
		e.lines++
		e.data = append(e.data, rubyValue(line, len("data:"))...)
	case bytes.HasPrefix(line, []byte("id:")):
		e.id = string(rubyValue(line, len("id:")))
	}
	return false
}

func rubyValue(line []byte, name int) []byte {
	return bytes.Trim(bytes.TrimLeft(line[name:], rubyBlank), rubySpace)
}

// rubyBlank is what \s matches in Ruby.
const rubyBlank = "\t\n\v\f\r "

// add counts an event that is over.
func (u *rubySummary) add(e *rubyEvent, want jsonrpc.ID) {
	if e.id == "" && e.lines == 0 {
		return
	}
	u.events++
	if retainable(e.id) {
		u.cursor = e.id
	}
	if e.other || len(e.data) == 0 || !tooDeep(e.data) && asksOrTells(e.data) {
		return
	}
	m, valid := parseRuby(e.data)
	if !valid {
		u.invalid = true
	}
	if m == nil || m.truthy("method") {
		return
	}
	u.responses++
	if u.responses == 1 {
		u.only = m
	}
	if u.answer == nil && m.answersLoosely(want) {
		u.answer = m
	}
}

// retainable reports whether an event id may be sent back in a header.
func retainable(id string) bool {
	return id != "" && len(id) <= 1024 && strings.IndexFunc(id, func(r rune) bool { return r < ' ' || r > '~' }) < 0
}

// salvageLine reads a line as salvage does.
func (s *rubyStream) salvageLine(line []byte) {
	s.framed = s.framed || isSSELine(line)
	s.blockBad = s.blockBad || !utf8.Valid(line)
	switch {
	case len(line) == 0:
		if s.hasData && !s.carries && !asksOrTells(s.block) {
			m, _ := parseRuby(s.block)
			s.carries = m != nil && !m.has("method") && m.answersLoosely(s.want)
		}
		s.badText = s.badText || s.blockBad
		s.block, s.hasData, s.blockBad = s.block[:0], false, false
	case bytes.HasPrefix(line, []byte("data:")):
		if s.hasData {
			s.block = append(s.block, '\n')
		}
		s.hasData = true
		s.block = append(s.block, bytes.TrimLeft(line[len("data:"):], rubyBlank)...)
	}
}

// isSSELine reports whether a line begins as one of an event stream does.
func isSSELine(line []byte) bool {
	for _, p := range []string{":", "data:", "event:", "id:", "retry:"} {
		if bytes.HasPrefix(line, []byte(p)) {
			return true
		}
	}
	return false
}

// looksFramed reports whether the bytes so far read as an event stream, the unfinished line included.
func (s *rubyStream) looksFramed() bool { return s.framed || isSSELine(s.line) }

// whole returns what the events amount to if the stream ends here, its last event, which nothing has ended, included.
func (s *rubyStream) whole() rubySummary {
	e, sum := s.event, s.sum
	e.data = e.data[:len(e.data):len(e.data)]
	if len(s.line) > 0 {
		e.line(s.line)
	}
	sum.add(&e, s.want)
	return sum
}
