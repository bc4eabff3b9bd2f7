package http1

import "strings"

// prefixCheck is how many bytes of an unfinished start line are judged. It covers a status line up to
// the status and any method in use, and bounds the work of byte-by-byte input.
const prefixCheck = MaxMethod + 1

const version = "HTTP/1."

// requestLine splits "token SP target SP HTTP/1.digit". Source: RFC 9112 section 3.
func requestLine(line string) (method, target, proto string, ok bool) {
	method, rest, ok1 := strings.Cut(line, " ")
	target, proto, ok2 := strings.Cut(rest, " ")
	ok = ok1 && ok2 && isToken(method) && isTarget(target) && isVersion(proto)
	return method, target, proto, ok
}

// statusLine splits "HTTP/1.digit SP 3digit [SP reason]"; servers leave the second space out.
// Source: RFC 9112 section 4.
func statusLine(line string) (proto string, status int, reason string, ok bool) {
	proto, rest, _ := strings.Cut(line, " ")
	if !isVersion(proto) || len(rest) < 3 || rest[0] == '0' {
		return "", 0, "", false
	}
	for _, c := range []byte(rest[:3]) {
		if !isDigit(c) {
			return "", 0, "", false
		}
		status = status*10 + int(c-'0')
	}
	if len(rest) > 3 && rest[3] != ' ' {
		return "", 0, "", false
	}
	return proto, status, strings.Trim(rest[3:], " \t"), true
}

// mayBegin reports whether a start line can begin with b, which has no line end. Only the first
// prefixCheck bytes are looked at.
func mayBegin(b []byte, request bool) bool {
	b = b[:min(len(b), prefixCheck)]
	if request {
		for i, c := range b {
			if !isTokenByte(c) {
				return c == ' ' && i > 0
			}
		}
		return len(b) < prefixCheck // longer than any method
	}
	for i, c := range b {
		ok := true
		switch {
		case i < len(version):
			ok = c == version[i]
		case i == len(version)+1, i == len(version)+5:
			ok = c == ' ' || i > len(version)+1 && c == '\r'
		case i < len(version)+5:
			ok = isDigit(c)
		}
		if !ok {
			return false
		}
	}
	return true
}

func isVersion(s string) bool {
	return len(s) == len(version)+1 && strings.HasPrefix(s, version) && isDigit(s[len(version)])
}

func isTarget(s string) bool {
	for i := range len(s) {
		if s[i] <= ' ' || s[i] == 0x7f {
			return false
		}
	}
	return s != ""
}

func isToken(s string) bool {
	for i := range len(s) {
		if !isTokenByte(s[i]) {
			return false
		}
	}
	return s != ""
}

// isTokenByte reports whether c is a tchar. Source: RFC 9110 section 5.6.2.
func isTokenByte(c byte) bool {
	return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' || strings.IndexByte("!#$%&'*+-.^_`|~", c) >= 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
