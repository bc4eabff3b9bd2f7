package replay

import "bytes"

// shopifyStream parses an event stream as the gem event_stream_parser does, which the official Ruby SDK uses. It keeps to
// the HTML rules but for this: a byte order mark is not dropped; one white-space character of any kind is taken off in
// front of a value; and while the last line end was a CR, an LF that opens a piece is swallowed, also a second time.
//
// Source: Shopify/event_stream_parser 1e3c8492, lib/event_stream_parser.rb.
type shopifyStream struct {
	event func(data []byte, id string)

	line   []byte
	opens  bool // the next byte is the first of a piece
	afterC bool // the byte before, of the same piece, was a CR
	endedC bool // the last line end was a CR alone
	data   []byte
	lines  bool
	name   int // bytes kept of the event name
	id     string
}

// piece tells that what was written since the last call was handed over as one.
func (s *shopifyStream) piece() { s.opens, s.afterC = true, false }

func (s *shopifyStream) write(p []byte) {
	for len(p) > 0 {
		if p[0] == '\n' && s.afterC {
			s.afterC, s.endedC, p = false, false, p[1:]
			continue
		}
		if p[0] == '\n' && s.opens && s.endedC && len(s.line) == 0 {
			s.opens, p = false, p[1:]
			continue
		}
		s.opens, s.afterC = false, false
		i := lineEnd(p)
		if i < 0 {
			s.line = append(s.line, p...)
			return
		}
		s.line = append(s.line, p[:i]...)
		s.afterC, s.endedC = p[i] == '\r', p[i] == '\r'
		s.endLine()
		p = p[i+1:]
	}
}

func (s *shopifyStream) endLine() {
	line := s.line
	s.line = s.line[:0]
	if len(line) == 0 {
		s.dispatch()
		return
	}
	name, value, colon := bytes.Cut(line, []byte(":"))
	if colon && len(name) == 0 {
		return // a comment
	}
	if len(value) > 0 && bytes.IndexByte([]byte(rubyBlank), value[0]) >= 0 {
		value = value[1:]
	}
	switch string(name) {
	case "data":
		if s.lines {
			s.data = append(s.data, '\n')
		}
		s.lines = true
		s.data = append(s.data, value...)
	case "event":
		s.name = len(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			s.id = string(value)
		}
	}
}

func (s *shopifyStream) dispatch() {
	if s.lines {
		s.event(s.data, s.id)
	}
	s.data, s.lines, s.name = s.data[:0], false, 0
}

// buffered returns how many bytes it holds of what no blank line has ended yet.
func (s *shopifyStream) buffered() int { return len(s.line) + len(s.data) + s.name + len(s.id) }
