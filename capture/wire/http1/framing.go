package http1

import (
	"math"
	"strings"
)

// Frame decides how the body of h is framed: it sets Framing, Length and Conflict. method is that of the request a response
// answers. A Parser has done so for the heads that it hands on.
//
// Source: RFC 9112 section 6.3, in its order.
func (h *Head) Frame(request bool, method string) {
	length, lengths := h.contentLength()
	coded, chunked := h.transferCoding()
	h.Conflict = lengths == differing || coded && lengths != absent
	switch {
	case !request && (method == "HEAD" || h.Status < 200 || h.Status == 204 || h.Status == 304):
		h.Framing = None
	case !request && isTunnel(h.Status, method):
		h.Framing = None
	case chunked:
		h.Framing = Chunked
	case coded && request:
		h.Framing = Faulty
	case coded:
		h.Framing = Close
	case lengths == faulty || lengths == differing:
		h.Framing = Faulty
	case lengths == present:
		h.Framing, h.Length = Length, length
	case request:
		h.Framing = None
	default:
		h.Framing = Close
	}
}

// isTunnel reports whether a response turns the connection into something else than HTTP/1.
func isTunnel(status int, method string) bool {
	return status == 101 || method == "CONNECT" && 200 <= status && status < 300
}

// transferCoding reports whether a transfer coding other than the obsolete identity is applied, and
// whether the last one is chunked.
func (h *Head) transferCoding() (coded, chunked bool) {
	for _, f := range h.Fields {
		if !strings.EqualFold(f.Name, "Transfer-Encoding") {
			continue
		}
		for c := range strings.SplitSeq(f.Value, ",") {
			c, _, _ = strings.Cut(c, ";")
			if c = strings.Trim(c, " \t"); c != "" && !strings.EqualFold(c, "identity") {
				coded, chunked = true, strings.EqualFold(c, "chunked")
			}
		}
	}
	return coded, chunked
}

// lengthState is what the Content-Length fields together say.
type lengthState uint8

const (
	absent lengthState = iota
	present
	faulty    // not a number
	differing // numbers that are not equal
)

// contentLength reads all Content-Length fields; repeated equal values count as one.
func (h *Head) contentLength() (n int64, s lengthState) {
	for _, f := range h.Fields {
		if !strings.EqualFold(f.Name, "Content-Length") {
			continue
		}
		for v := range strings.SplitSeq(f.Value, ",") {
			m, ok := parseLength(strings.Trim(v, " \t"))
			switch {
			case !ok:
				return 0, faulty
			case s == present && m != n:
				return 0, differing
			}
			n, s = m, present
		}
	}
	return n, s
}

// parseLength reads decimal digits; more than an int64 holds is no length.
func parseLength(s string) (n int64, ok bool) {
	for i := range len(s) {
		d := int64(s[i]) - '0'
		if d < 0 || d > 9 || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, s != ""
}
