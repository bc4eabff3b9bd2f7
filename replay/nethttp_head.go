package replay

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

type netHTTPField struct{ name, value string }

// maxLine bounds what is kept of a line of the head.
const maxLine = 256 << 10

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

// hasType reports whether the Content-Type names the media type, in lower case: the Ruby clients look for the text.
func hasType(h *netHTTP, media string) bool { return strings.Contains(h.get("Content-Type"), media) }
