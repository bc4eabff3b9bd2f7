package http1

// readEmpty skips line ends before a start line and finds its first byte.
func (p *Parser) readEmpty(b []byte) int {
	if b[0] == '\r' || b[0] == '\n' {
		return p.advance(1)
	}
	if !mayBegin(b[:1], p.request) {
		p.fail(p.off, errStartLine.Error())
		return p.advance(len(b))
	}
	p.begin()
	p.state = inHead
	p.h.Start(p.off)
	return p.readHead(b)
}

// readHead collects one line of a head, or what there is of it.
func (p *Parser) readHead(b []byte) int {
	n, whole := p.collect(b, MaxHead)
	switch ok := p.headLine(whole); {
	case !ok:
		p.fail(p.start, errStartLine.Error())
	case len(p.buf) > MaxHead:
		p.exceed(p.start, errHeadLimit.Error())
	case whole && isBlank(p.buf[p.line:]):
		h, err := parseHead(string(p.buf), p.request)
		if err != nil {
			p.reject(err)
			break
		}
		p.headRead(h)
	case whole:
		p.line = len(p.buf)
	}
	return n
}

// headLine reports whether the line being collected may stand where it does in a head: only the
// first must have a form.
func (p *Parser) headLine(whole bool) bool {
	if p.line > 0 {
		return true
	}
	if !mayBegin(p.buf, p.request) {
		return false // told the same of a whole line, so that it does not matter how the input is cut
	}
	if !whole {
		return true
	}
	line, _ := cutLine(string(p.buf))
	if p.request {
		_, _, _, ok := requestLine(line)
		return ok
	}
	_, _, _, ok := statusLine(line)
	return ok
}

// headRead goes on behind a complete head.
func (p *Parser) headRead(h *Head) {
	method := ""
	if !p.request {
		method = p.method()
	}
	h.Frame(p.request, method)
	p.head = h
	p.reset()
	p.h.Head(h, p.off)
	switch h.Framing {
	case None:
		p.end()
		if !p.request && isTunnel(h.Status, method) {
			p.state = upgraded
		}
	case Length:
		p.state, p.left = inLength, h.Length
		if h.Length == 0 {
			p.end()
		}
	case Chunked:
		p.begin()
		p.state = chunkSize
	case Close:
		p.state = inClose
	default:
		p.fail(p.off, "contradicting body framing")
	}
}
