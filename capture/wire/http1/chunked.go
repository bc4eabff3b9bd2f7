package http1

import "bytes"

// maxChunk keeps chunk sizes, and offsets with them, far from overflow.
const maxChunk = 1 << 62

// readSize reads a chunk-size line. Source: RFC 9112 section 7.1.
func (p *Parser) readSize(b []byte) int {
	if len(p.buf) == 0 {
		p.start = p.off
	}
	n, whole := p.collect(b, MaxChunkLine)
	if !whole {
		if len(p.buf) > MaxChunkLine {
			p.exceed(p.start, "chunk-size line longer than 4 KiB")
		}
		return n
	}
	size, ok := parseSize(p.buf)
	p.reset()
	switch {
	case !ok:
		p.fail(p.start, "not a chunk size")
	case size == 0:
		p.begin()
		p.state = trailers
	default:
		p.state, p.left = chunkData, size
	}
	return n
}

// parseSize reads the hexadecimal size that line begins with; extensions are skipped.
func parseSize(line []byte) (size int64, ok bool) {
	line = bytes.TrimRight(line, "\r\n")
	line, _, _ = bytes.Cut(line, []byte(";"))
	line = bytes.Trim(line, " \t")
	for _, c := range line {
		d := hexDigit(c)
		if d < 0 || size > maxChunk>>4 {
			return 0, false
		}
		size = size<<4 | d
	}
	return size, len(line) > 0
}

func hexDigit(c byte) int64 {
	switch {
	case isDigit(c):
		return int64(c - '0')
	case 'a' <= c|0x20 && c|0x20 <= 'f':
		return int64(c|0x20-'a') + 10
	}
	return -1
}

// readChunkEnd reads the line end behind the data of a transfer chunk, CR LF or LF. A CR is kept in
// p.buf until its LF comes.
func (p *Parser) readChunkEnd(b []byte) int {
	switch {
	case b[0] == '\n':
		p.advance(1)
		p.reset()
		p.state = chunkSize
	case b[0] == '\r' && len(p.buf) == 0:
		p.buf = append(p.buf, '\r')
		p.advance(1)
	default:
		p.fail(p.off-int64(len(p.buf)), "transfer chunk longer than its size")
		p.advance(1)
	}
	return 1
}

// readTrailers collects one line of the trailer section, or what there is of it.
func (p *Parser) readTrailers(b []byte) int {
	n, whole := p.collect(b, MaxHead)
	switch {
	case len(p.buf) > MaxHead:
		p.exceed(p.start, "trailer section longer than 256 KiB")
	case whole && isBlank(p.buf[p.line:]):
		fields, dropped, err := parseFields(string(p.buf))
		if err != nil {
			p.reject(err)
			break
		}
		p.head.Trailers = fields
		p.head.Dropped += dropped
		p.reset()
		p.end()
	case whole:
		p.line = len(p.buf)
	}
	return n
}
