package proxy

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"

	"mcptrace/capture/wire/http1"
)

// request is what the proxy must know of a request's head. The strings share no memory with the window.
type request struct {
	method, target string
	host           string // value of Host
	hasHost        bool
	hostLine       [2]int // in the head: the value of Host with the white space around it
	chunked        bool
	length         int64 // of the body, where it is not chunked
	upgrade        bool
}

// checkRequestLine checks "token SP target SP HTTP/1.x". Source: RFC 9112 section 3.
func checkRequestLine(line []byte) error {
	parts := bytes.Split(line, []byte(" "))
	if len(parts) != 3 || !isToken(parts[0]) || len(parts[1]) == 0 || !isText(parts[1]) || bytes.IndexByte(parts[1], '\t') >= 0 {
		return refuse(400, "not an HTTP/1 request line")
	}
	if len(parts[0]) > http1.MaxMethod {
		return refuse(501, "a method longer than any")
	}
	switch v := string(parts[2]); {
	case v == "HTTP/1.1" || v == "HTTP/1.0":
		return nil
	case strings.HasPrefix(v, "HTTP/"):
		return refuse(505, "only HTTP/1.0 and HTTP/1.1 are spoken here")
	}
	return refuse(400, "not an HTTP/1 request line")
}

// checkField checks a field line and splits it; the value has the white space around it taken off. Source: RFC 9112 section 5.
func checkField(line []byte) (name, value string, err error) {
	n, v, ok := bytes.Cut(line, []byte(":"))
	switch {
	case line[0] == ' ' || line[0] == '\t':
		return "", "", refuse(400, "a folded header line")
	case !ok || !isToken(n):
		return "", "", refuse(400, "a header line without a proper name")
	case !isText(v):
		return "", "", refuse(400, "a control character in a header line")
	}
	return string(n), string(bytes.Trim(v, " \t")), nil
}

// parseRequest reads a head whose lines all end with CR LF, the empty one included, and refuses what two readers could
// frame differently. Source: RFC 9112 sections 3.2 and 6.3.
func parseRequest(head []byte) (*request, error) {
	end := bytes.IndexByte(head, '\n')
	if err := checkRequestLine(head[:end-1]); err != nil {
		return nil, err
	}
	parts := strings.Split(string(head[:end-1]), " ")
	r := &request{method: parts[0], target: parts[1]}
	v10 := parts[2] == "HTTP/1.0"
	lengths, codings, hosts, fields := 0, 0, 0, 0
	for at := end + 1; ; fields++ {
		n := bytes.IndexByte(head[at:], '\n')
		line := head[at : at+n-1]
		if len(line) == 0 {
			break
		}
		if fields == maxFields {
			return nil, refuse(431, "the head has more than 2000 field lines")
		}
		name, value, err := checkField(line)
		if err != nil {
			return nil, err
		}
		switch strings.ToLower(name) {
		case "content-length":
			lengths++
			if r.length, err = bodyLength(value); err != nil {
				return nil, err
			}
		case "transfer-encoding":
			codings++
			if r.chunked = strings.EqualFold(value, "chunked"); !r.chunked {
				return nil, refuse(501, "a transfer coding other than chunked")
			}
		case "host":
			hosts++
			r.host, r.hasHost = value, true
			r.hostLine = [2]int{at + len(name) + 1, at + n - 1}
		case "upgrade":
			r.upgrade = true
		}
		at += n + 1
	}
	switch {
	case lengths > 1, codings > 1, lengths > 0 && codings > 0:
		return nil, refuse(400, "the length of the body is given more than once")
	case codings > 0 && v10:
		return nil, refuse(400, "a transfer coding in an HTTP/1.0 request")
	case hosts > 1, hosts == 0 && !v10:
		return nil, refuse(400, fmt.Sprintf("%d Host fields", hosts))
	}
	return r, nil
}

// bodyLength reads a Content-Length: digits and nothing else.
func bodyLength(s string) (int64, error) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, refuse(400, "Content-Length is no number")
		}
	}
	n, err := strconv.ParseInt(s, 10, 63)
	if err != nil {
		return 0, refuse(400, "Content-Length is no number")
	}
	return n, nil
}

// withHost returns the head with another value of Host.
func (r *request) withHost(head []byte, host string) []byte {
	if !r.hasHost {
		return head
	}
	out := make([]byte, 0, len(head)+len(host)+1)
	out = append(out, head[:r.hostLine[0]]...)
	out = append(out, ' ')
	out = append(out, host...)
	return append(out, head[r.hostLine[1]:]...)
}

func isToken(b []byte) bool {
	for _, c := range b {
		if !isTokenByte(c) {
			return false
		}
	}
	return len(b) > 0
}

// isTokenByte reports whether c is a tchar. Source: RFC 9110 section 5.6.2.
func isTokenByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

// isText reports whether b has no control characters but tabs.
func isText(b []byte) bool {
	for _, c := range b {
		if c < ' ' && c != '\t' || c == 0x7f {
			return false
		}
	}
	return true
}
