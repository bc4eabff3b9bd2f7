package replay

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
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

type netHTTPField struct{ name, value string }

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

// maxLine bounds what is kept of a line of the head.
const maxLine = 256 << 10

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

func (h *netHTTP) readLine(p []byte) int {
	n := bytes.IndexByte(p, '\n') + 1
	whole := n > 0
	if !whole {
		n = len(p)
	}
	if len(h.line)+n > maxLine {
		h.fail("a line of its head is too long")
		return n
	}
	h.line = append(h.line, p[:n]...)
	if whole {
		line := string(h.line)
		h.line = h.line[:0]
		h.lineRead(line)
	}
	return n
}

var (
	netHTTPStatus = regexp.MustCompile(`(?s)^(?i:HTTP)(?:/(\d+\.\d+))?\s+(\d\d\d)(?:\s+(.*))?$`)
	netHTTPSize   = regexp.MustCompile(`[0-9a-fA-F]+`)
	digits        = regexp.MustCompile(`\d+`)
	// RE2 has no lookahead; what follows the word is matched instead.
	netHTTPChunked = regexp.MustCompile(`(?i)(?:\A|[^\-\w])chunked(?:\z|[^\-\w])`)
)

func (h *netHTTP) lineRead(line string) {
	switch h.state {
	case statusLine:
		m := netHTTPStatus.FindStringSubmatch(chop(line))
		if m == nil {
			h.fail("its status line is malformed")
			return
		}
		h.status, _ = strconv.Atoi(m[2])
		h.state = fieldLines
	case fieldLines:
		h.fieldLine(line)
	case sizeLine:
		h.sizeRead(chop(line))
	case trailerLines:
		if chop(line) == "" {
			h.state = complete
		}
	}
}

// chop takes the line end off, or the last byte where there is none.
func chop(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return line[:len(line)-2]
	}
	return line[:max(0, len(line)-1)]
}

func (h *netHTTP) fieldLine(line string) {
	line = strings.TrimRight(line, rubySpace)
	if line == "" {
		h.headRead()
		return
	}
	if n := len(h.fields); line[0] == ' ' || line[0] == '\t' && n > 0 {
		if n > 0 {
			f := &h.fields[n-1]
			f.value = strings.TrimLeft(f.value+" "+strings.Trim(line, rubySpace), " ")
			return
		}
	}
	name, value, ok := strings.Cut(strings.Trim(line, rubySpace), ":")
	if !ok {
		h.fail("a header line has no colon")
		return
	}
	h.fields = append(h.fields, netHTTPField{strings.TrimRight(name, rubySpace), strings.TrimLeft(value, rubySpace)})
}

func (h *netHTTP) headRead() {
	if h.status/100 == 1 {
		h.status, h.fields, h.state = 0, nil, statusLine
		return
	}
	h.length = -1
	length, chunked := h.get("Content-Length"), netHTTPChunked.MatchString(h.get("Transfer-Encoding"))
	switch {
	case h.status == 204 || h.status == 205 || h.status == 304:
		h.state = complete
	case chunked:
		h.state = sizeLine
	case h.has("Content-Length"):
		n, err := strconv.ParseInt(digits.FindString(length), 10, 64)
		if err != nil {
			h.fail("its Content-Length is malformed")
			return
		}
		if h.left, h.length, h.state = n, n, lengthBody; n == 0 {
			h.state = complete
		}
	default:
		h.state = closeBody
	}
	h.to.head(h)
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

// get returns the values of all fields called name, joined as Net::HTTP joins them.
func (h *netHTTP) get(name string) string {
	var out []string
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			out = append(out, f.value)
		}
	}
	return strings.Join(out, ", ")
}

func (h *netHTTP) has(name string) bool {
	for _, f := range h.fields {
		if strings.EqualFold(f.name, name) {
			return true
		}
	}
	return false
}

// rubySpace is what Ruby's strip takes off.
const rubySpace = "\x00\t\n\v\f\r "

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
func (noBody) body([]byte)   {}
func (noBody) piece() bool   { return false }

// hasType reports whether the Content-Type names the media type, in lower case: the Ruby clients look for the text.
func hasType(h *netHTTP, media string) bool { return strings.Contains(h.get("Content-Type"), media) }
