package http1

import (
	"bytes"
	"errors"
	"strings"
)

// state is where in a message the next byte stands.
type state uint8

const (
	between   state = iota // before a start line; empty lines are skipped
	inHead                 // in a start line or field lines
	inLength               // in a body framed by its length
	inClose                // in a body that ends with the connection
	chunkSize              // in a chunk-size line
	chunkData              // in the data of a transfer chunk
	chunkEnd               // at the line end behind it
	trailers               // in the trailer section
	hunting                // out of step, looking for a start line
	upgraded               // HTTP/1 has ended
)

// Parser frames one direction of a connection. It keeps no body bytes and at most one head or line.
//
// What it reports does not depend on how the bytes are split over Writes, but for one thing: out of
// step (after Resync or Broken) a start line is looked for only at the beginning of a Write, where a
// segment began, and is believed only once a whole well-formed head stands behind it. Text in a body
// that looks like a head is thereby passed over unless a segment happens to begin with it.
type Parser struct {
	h       Handler
	request bool
	method  func() string

	state state
	off   int64 // of the next byte
	left  int64 // bytes left of a Length body or a transfer chunk
	start int64 // of the current head or line
	buf   []byte
	line  int // index in buf of the current line
	head  *Head
	cut   bool // a limit ended the message that was Broken last
}

// NewRequestParser returns a Parser for the client's direction.
func NewRequestParser(h Handler) *Parser { return &Parser{h: h, request: true} }

// NewResponseParser returns a Parser for the server's direction. Method returns the method of the
// request that the next final response answers, "" if it is not known; it is asked once for each
// head, 1xx included, before Handler.Head. A nil method knows none.
func NewResponseParser(h Handler, method func() string) *Parser {
	if method == nil {
		method = func() string { return "" }
	}
	return &Parser{h: h, method: method}
}

// Resync tells that the next bytes may stand in the middle of a message; the current one stays unfinished.
func (p *Parser) Resync() {
	p.state = hunting
	p.reset()
}

// Idle reports whether the Parser stands between two messages, or before the first.
func (p *Parser) Idle() bool { return p.state == between }

// InBody reports whether the Parser stands in a body, the framing of its transfer chunks included.
func (p *Parser) InBody() bool { return inLength <= p.state && p.state <= trailers }

// Limited reports whether the message that was Broken last exceeded a limit of the Parser: it may be well-formed.
func (p *Parser) Limited() bool { return p.cut }

// Offset returns the number of bytes written and missed so far.
func (p *Parser) Offset() int64 { return p.off }

// Write parses b, which it does not keep, and returns the number of bytes consumed: len(b), or less
// once HTTP/1 has ended (101, or 2xx to CONNECT), after which it consumes nothing more.
func (p *Parser) Write(b []byte) int {
	n := 0
	if p.state == hunting && len(b) > 0 {
		n = p.hunt(b)
	}
	for n < len(b) && p.state != upgraded {
		n += p.step(b[n:])
	}
	return n
}

// step consumes at least one byte of b.
func (p *Parser) step(b []byte) int {
	switch p.state {
	case between:
		return p.readEmpty(b)
	case inHead:
		return p.readHead(b)
	case inLength, inClose, chunkData:
		return p.readBody(b)
	case chunkSize:
		return p.readSize(b)
	case chunkEnd:
		return p.readChunkEnd(b)
	case trailers:
		return p.readTrailers(b)
	default: // hunting: the rest of this Write is lost
		return p.advance(len(b))
	}
}

// Missing tells that n bytes at this place were not captured. In a body whose framing reaches past
// them they are Lost, elsewhere the Parser is out of step.
func (p *Parser) Missing(n int64) {
	if n <= 0 || p.state == upgraded {
		return
	}
	if p.state == inLength || p.state == inClose || p.state == chunkData {
		k := n
		if p.state != inClose {
			k = min(n, p.left)
		}
		p.off += k
		n -= k
		p.h.Lost(p.off-k, p.off)
		p.bodyRead(k)
	}
	if n == 0 {
		return
	}
	at := p.off
	p.off += n
	if p.state == hunting {
		p.reset()
	} else {
		p.fail(at, "bytes missing outside a body")
	}
}

// EOF tells that the sender closed in order, which completes a body framed by Close. Any other
// message that is not complete stays so.
func (p *Parser) EOF() {
	if p.state == inClose {
		p.end()
	}
}

// readBody consumes body bytes up to the end of the body or transfer chunk.
func (p *Parser) readBody(b []byte) int {
	n := len(b)
	if p.state != inClose {
		n = int(min(int64(n), p.left))
	}
	p.advance(n)
	p.h.Body(p.off-int64(n), p.off)
	p.bodyRead(int64(n))
	return n
}

// bodyRead accounts for n body bytes, captured or not, that end at p.off.
func (p *Parser) bodyRead(n int64) {
	if p.state == inClose {
		return
	}
	p.left -= n
	switch {
	case p.left > 0:
	case p.state == chunkData:
		p.state = chunkEnd
	default:
		p.end()
	}
}

// end completes the message at p.off.
func (p *Parser) end() {
	p.state, p.head = between, nil
	p.h.End(p.off)
}

// fail leaves the message unfinished and starts hunting.
func (p *Parser) fail(off int64, why string) {
	p.cut = false
	p.broken(off, why)
}

// exceed is fail where one of the Parser's own limits is the reason.
func (p *Parser) exceed(off int64, why string) {
	p.cut = true
	p.broken(off, why)
}

// reject gives up a head or trailer section that could not be parsed.
func (p *Parser) reject(err error) {
	if errors.Is(err, errFieldLimit) {
		p.exceed(p.start, err.Error())
		return
	}
	p.fail(p.start, err.Error())
}

func (p *Parser) broken(off int64, why string) {
	p.Resync()
	p.h.Broken(off, strings.TrimPrefix(why, "http1: "))
}

func (p *Parser) advance(n int) int {
	p.off += int64(n)
	return n
}

// begin starts collecting lines at p.off.
func (p *Parser) begin() {
	p.start = p.off
	p.reset()
}

// reset forgets collected lines, and their memory where it is more than usual.
func (p *Parser) reset() {
	p.line = 0
	if p.buf = p.buf[:0]; cap(p.buf) > 16<<10 {
		p.buf = nil
	}
}

// collect appends b through its first line end to p.buf, but no more than one byte past limit.
func (p *Parser) collect(b []byte, limit int) (n int, whole bool) {
	n = len(b)
	if i := bytes.IndexByte(b, '\n'); i >= 0 {
		n, whole = i+1, true
	}
	if room := limit + 1 - len(p.buf); n > room {
		n, whole = room, false
	}
	p.buf = append(p.buf, b[:n]...)
	return p.advance(n), whole
}
