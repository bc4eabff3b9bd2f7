package replay

import (
	"math"
	"strconv"
	"time"
)

// netHTTP reads a response as Ruby's Net::HTTP does. It forgives much: an end inside the head ends the head, a short
// Content-Length ends the body, a chunk-size line may hold anything around its first hexadecimal number, and the two
// bytes behind a transfer chunk may be any.
//
// Source: net-http 0.4.1, lib/net/http/response.rb and net/protocol.rb.
type netHTTP struct {
	to     netHTTPBody
	status int
	fields []netHTTPField
	state  netHTTPState
	line   []byte
	left   int64
	length int64 // declared; -1: none
	now    time.Duration
	why    string // what is wrong with the response
	wants  int    // bytes that a stopped reader still reads
}

// netHTTPBody is who reads the body.
type netHTTPBody interface {
	// head tells that the head is read.
	head(h *netHTTP)
	// body takes body bytes with transfer coding off.
	body(p []byte)
	// piece tells that the bytes since the last call were handed over as one; stop: nothing more is wanted.
	piece() (stop bool)
}

type netHTTPState uint8

const (
	statusLine netHTTPState = iota
	fieldLines
	lengthBody
	closeBody
	sizeLine
	chunkBody
	chunkTail // the two bytes behind a transfer chunk
	trailerLines
	stopping // the reader of the body has stopped it inside a transfer chunk
	stopped  // … and is free
	complete
	broken // it is no HTTP response
)

func (h *netHTTP) read(p []byte, at time.Duration) {
	h.now = at
	for len(p) > 0 && h.state < stopped {
		p = p[h.step(p):]
	}
}

// step reads some of p, at least one byte, and returns how many.
func (h *netHTTP) step(p []byte) int {
	switch h.state {
	case lengthBody, chunkBody:
		n := int(min(int64(len(p)), h.left))
		h.left -= int64(n)
		h.to.body(p[:n])
		if h.left == 0 {
			h.bodyRead()
		}
		return n
	case closeBody:
		h.to.body(p)
		return len(p)
	case chunkTail:
		n := int(min(int64(len(p)), h.left))
		if h.left -= int64(n); h.left == 0 {
			h.state = sizeLine
		}
		return n
	case stopping:
		n := min(len(p), h.wants)
		if h.wants -= n; h.wants == 0 {
			h.state = stopped
		}
		return n
	}
	return h.readLine(p)
}

func (h *netHTTP) sizeRead(line string) {
	hex := netHTTPSize.FindString(line)
	if hex == "" {
		h.fail("a chunk-size line is malformed")
		return
	}
	n, err := strconv.ParseInt(hex, 16, 64)
	if err != nil {
		n = math.MaxInt64
	}
	if h.left, h.state = n, chunkBody; n == 0 {
		h.state = trailerLines
	}
}

// bodyRead ends a body of known length, or a transfer chunk.
func (h *netHTTP) bodyRead() {
	chunk := h.state == chunkBody
	switch stop := h.to.piece(); {
	case stop && chunk:
		h.state, h.wants = stopping, 2
	case stop:
		h.state = stopped
	case chunk:
		h.state, h.left = chunkTail, 2
	default:
		h.state = complete
	}
}

// pause hands over what was readable. Net::HTTP reads the two bytes behind a transfer chunk even where the reader of the
// body stopped it in the middle of one: then it is the next two bytes, whatever they are.
func (h *netHTTP) pause() {
	switch h.state {
	case chunkBody:
		if h.to.piece() {
			h.state, h.wants = stopping, 2
		}
	case lengthBody, closeBody:
		if h.to.piece() {
			h.state = stopped
		}
	}
}

func (h *netHTTP) fail(why string) { h.state, h.why = broken, why }

// atFIN returns the reader as it is once the other side has closed, and whether Net::HTTP takes that for a proper end.
// h is not changed.
func (h *netHTTP) atFIN() (*netHTTP, bool) {
	switch h.state {
	case lengthBody, closeBody, complete:
		return h, true
	case fieldLines:
		c := *h
		c.fields = h.fields[:len(h.fields):len(h.fields)]
		c.to = noBody{}
		if len(h.line) > 0 {
			c.fieldLine(string(h.line))
		}
		if c.state == fieldLines {
			c.headRead()
		}
		return &c, c.state == lengthBody || c.state == closeBody || c.state == complete
	}
	return h, false
}

// noBody is the reader of a body that cannot come.
type noBody struct{}

func (noBody) head(*netHTTP) {}

func (noBody) body([]byte) {}

func (noBody) piece() bool { return false }
