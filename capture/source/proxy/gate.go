package proxy

import (
	"bytes"

	"mcptrace/capture/wire/http1"
)

// Limits of what a request may hold back.
const (
	maxHead     = http1.MaxHead
	maxFields   = http1.MaxFields
	maxLine     = http1.MaxChunkLine
	maxTrailers = 64 << 10
	maxChunk    = 1 << 50 // bytes: more is an attempt to overflow somebody's counter
)

// gate frames a client's direction, strictly, and says how far its bytes may be forwarded.
type gate struct {
	state gateState
	pos   int   // in the window: what was looked at
	line  int   // in the window: where the head, the chunk-size line or the trailer section begins
	start int   // in the window: where the current line begins
	left  int64 // bytes left of a body or a transfer chunk
	lines int   // of the trailer section, so far
}

type gateState uint8

const (
	gateIdle     gateState = iota // before a request line
	gateHead                      // in a head
	gateBody                      // in a body framed by its length
	gateSize                      // in a chunk-size line
	gateData                      // in a transfer chunk
	gateDataEnd                   // before the CR LF behind it
	gateTrailers                  // in the trailer section
)

// next looks at the window w and returns how many of its bytes may be forwarded. It stops behind a head, which it returns
// together with the offset at which the head begins, so that the caller may judge and change it, and is then called again.
//
// An error is a *refusal; what stands before safe may still be forwarded.
func (g *gate) next(w []byte) (safe, headAt int, head *request, err error) {
	for g.pos < len(w) {
		switch g.state {
		case gateIdle:
			if whole, err := g.emptyLine(w); err != nil || !whole {
				return g.pos, 0, nil, err
			}
		case gateHead:
			end, err := g.readHead(w)
			if err != nil || end == 0 {
				return g.line, 0, nil, err
			}
			at := g.line
			if head, err = parseRequest(w[at:end]); err != nil {
				return at, 0, nil, err
			}
			g.body(head)
			return end, at, head, nil
		case gateBody, gateData:
			g.take(len(w))
		default:
			if whole, err := g.readLine(w); err != nil || !whole {
				return g.line, 0, nil, err
			}
		}
	}
	if g.state == gateTrailers {
		return g.line, 0, nil, nil // held back until they are whole
	}
	return g.pos, 0, nil, nil
}

// shift tells that the first n bytes of the window are gone.
func (g *gate) shift(n int) {
	g.pos -= n
	g.line -= n
	g.start -= n
}

// idle reports whether the gate stands between two requests.
func (g *gate) idle() bool { return g.state == gateIdle }

// inHead reports whether a head has begun.
func (g *gate) inHead() bool { return g.state == gateHead }

// emptyLine passes over an empty line, which may stand before a request, or begins a head; false: the line is not whole.
// Source: RFC 9112 section 2.2.
func (g *gate) emptyLine(w []byte) (bool, error) {
	switch rest := w[g.pos:]; {
	case isTokenByte(rest[0]):
		g.state = gateHead
		g.begin()
	case rest[0] == '\r' && len(rest) == 1:
		return false, nil
	case rest[0] == '\r' && rest[1] == '\n':
		g.pos += 2
	default:
		return false, refuse(400, "not an HTTP/1 request")
	}
	return true, nil
}

// begin begins a head, a line or a trailer section at the place looked at.
func (g *gate) begin() { g.line, g.start = g.pos, g.pos }

// readHead returns the offset just past the empty line that ends the head; 0: it is not there yet.
func (g *gate) readHead(w []byte) (int, error) {
	for {
		i := bytes.IndexByte(w[g.pos:], '\n')
		if i < 0 {
			g.pos = len(w)
		} else {
			g.pos += i + 1
		}
		switch {
		case g.pos-g.line > maxHead:
			return 0, refuse(431, "the head is longer than 256 KiB")
		case i < 0:
			return 0, nil
		case g.pos-g.start < 2 || w[g.pos-2] != '\r':
			return 0, refuse(400, "a line of the head ends with a bare LF")
		case g.pos-g.start == 2:
			return g.pos, nil
		}
		if g.start == g.line {
			if err := checkRequestLine(w[g.line : g.pos-2]); err != nil {
				return 0, err
			}
		}
		g.start = g.pos
	}
}

// body goes on behind the head h.
func (g *gate) body(h *request) {
	switch {
	case h.chunked:
		g.state = gateSize
		g.begin()
	case h.length > 0:
		g.state, g.left = gateBody, h.length
	default:
		g.state = gateIdle
	}
}

// take passes over bytes of a body or a transfer chunk.
func (g *gate) take(end int) {
	n := int(min(g.left, int64(end-g.pos)))
	g.pos += n
	if g.left -= int64(n); g.left > 0 {
		return
	}
	if g.state == gateBody {
		g.state = gateIdle
		return
	}
	g.state = gateDataEnd
	g.begin()
}

// readLine reads one line of the chunked coding; false: it is not whole yet.
func (g *gate) readLine(w []byte) (bool, error) {
	limit := maxLine
	if g.state == gateTrailers {
		limit = maxTrailers
	}
	i := bytes.IndexByte(w[g.pos:], '\n')
	if i < 0 {
		g.pos = len(w)
	} else {
		g.pos += i + 1
	}
	switch {
	case g.pos-g.line > limit:
		return false, refuse(400, "a line of the chunked body is too long")
	case g.state == gateDataEnd && (w[g.start] != '\r' || g.pos-g.start > 2 || i < 0 && g.pos-g.start == 2):
		return false, refuse(400, "a transfer chunk is longer than its size")
	case i < 0:
		return false, nil
	case g.pos-g.start < 2 || w[g.pos-2] != '\r':
		return false, refuse(400, "a line of the chunked body ends with a bare LF")
	}
	return true, g.chunkLine(w[g.start : g.pos-2])
}

// chunkLine goes on behind a line of the chunked coding, its CR LF left out. Source: RFC 9112 section 7.1.
func (g *gate) chunkLine(line []byte) error {
	switch g.state {
	case gateDataEnd:
		g.state = gateSize
		g.begin()
	case gateSize:
		n, ok := chunkSize(line)
		if !ok {
			return refuse(400, "not a chunk size")
		}
		g.state, g.left = gateData, n
		if n == 0 {
			g.state, g.lines = gateTrailers, 0
		}
		g.begin()
	case gateTrailers:
		g.start = g.pos
		if len(line) == 0 {
			g.state = gateIdle
			return nil
		}
		if g.lines++; g.lines > maxFields {
			return refuse(400, "the trailer section has more than 2000 field lines")
		}
		_, _, err := checkField(line)
		return err
	}
	return nil
}

// chunkSize reads the size in hexadecimal and checks the extensions behind it.
func chunkSize(line []byte) (n int64, ok bool) {
	size, ext, extended := bytes.Cut(line, []byte(";"))
	for _, c := range size {
		d := bytes.IndexByte([]byte("0123456789abcdef"), lower(c))
		if d < 0 || n > maxChunk>>4 {
			return 0, false
		}
		n = n<<4 | int64(d)
	}
	return n, len(size) > 0 && len(size) <= 16 && (!extended || isText(ext))
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c | 0x20
	}
	return c
}
