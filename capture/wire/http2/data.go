package http2

// dataPart is what is still to come of a DATA frame, padding aside (RFC 9113 section 6.1).
type dataPart struct {
	left   int
	padLen bool // the padding's length stands in front and is still to come
	blind  bool // the padding's length is missing, so data cannot be told from padding
}

func newDataPart(f frame) dataPart {
	d := dataPart{left: f.length, padLen: f.has(flagPadded)}
	if d.padLen {
		d.left = max(0, f.length-1)
	}
	return d
}

// readData reads a piece of the current DATA frame's payload and returns its length.
func (r *Reader) readData(p []byte) int {
	d := &r.data
	switch {
	case d.padLen:
		d.padLen = false
		// More padding than payload is an error to a peer; here it is a frame without data.
		d.left = max(0, d.left-int(p[0]))
		return 1
	case d.blind:
		r.loseData(len(p))
	case d.left > 0:
		p = p[:min(len(p), d.left)]
		d.left -= len(p)
		r.h.Data(r.frame.id(), p, r.frame.start, r.frame.end(), r.off)
	}
	return len(p)
}

// loseData tells of data among the next n bytes of the current DATA frame, which are missing or of no use.
func (r *Reader) loseData(n int) {
	d, off := &r.data, r.off
	if d.padLen {
		d.padLen, d.blind = false, true
		n, off = n-1, off+1
	}
	if n = min(n, d.left); n > 0 {
		d.left -= n
		r.h.LostData(r.frame.id(), int64(n), off)
	}
}
