package http1

import "bytes"

// hunt looks for a head at the beginning of b, or for the rest of one that earlier Writes began, and
// returns the number of bytes consumed: through the end of the head, or all.
func (p *Parser) hunt(b []byte) int {
	begun := len(p.buf) > 0
	n, ok := p.huntHead(b)
	if ok || !begun {
		return n
	}
	// b made the candidate void, so it may begin a better one.
	p.off -= int64(n)
	n, _ = p.huntHead(b)
	return n
}

// huntHead adds b to the candidate in p.buf and reports whether it still is one.
func (p *Parser) huntHead(b []byte) (n int, ok bool) {
	if len(p.buf) == 0 {
		p.begin()
	}
	for n < len(b) {
		k, whole := p.collect(b[n:], MaxHead)
		n += k
		if !p.headLine(whole) || len(p.buf) > MaxHead {
			break
		}
		if !whole {
			return n, true
		}
		if line := p.buf[p.line:]; !isBlank(line) {
			if p.line > 0 && !isFieldLine(line) {
				break
			}
			p.line = len(p.buf)
			continue
		}
		h, err := parseHead(string(p.buf), p.request)
		if err != nil {
			break
		}
		p.h.Start(p.start)
		p.headRead(h)
		return n, true
	}
	if n == len(b) && p.line == len(p.buf) && p.line > 0 {
		return n, true // b ends with a line of the candidate
	}
	p.reset()
	return n + p.advance(len(b)-n), false
}

// isFieldLine reports whether line has the form of a field line, or of the continuation of one.
func isFieldLine(line []byte) bool {
	if line[0] == ' ' || line[0] == '\t' {
		return true
	}
	i := bytes.IndexByte(line, ':')
	return i > 0 && isToken(string(line[:i]))
}
