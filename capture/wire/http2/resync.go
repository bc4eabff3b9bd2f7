package http2

import (
	"bytes"
	"slices"
)

const (
	// maxWindow is how many bytes a scan keeps before it gives up the older half: more than the few frames that make a
	// border take, unless they are unusually large.
	maxWindow = 1 << 18
	// enough is how many plausible frame headers in a row make a frame border, enoughClean how many where one may be
	// expected. One is never enough: from its second byte on, a frame header can look like another.
	enough      = 3
	enoughClean = 2
	// maxOpen is how many unsettled places a scan comes back to; older ones are given up.
	maxOpen = 64
)

// scanner looks for a frame border.
type scanner struct {
	window []byte // bytes that were not given up
	start  int64  // offset of its first byte
	next   int    // where in window the first place is that was not tried
	open   []int  // places in window that looked like a border as far as the bytes went
	clean  int64  // offset where a frame may well begin; -1: none
}

// loseStep makes r scan, first through seen, the bytes just before its offset that it could make nothing of.
// A header block in the making is told as far as it came.
func (r *Reader) loseStep(seen []byte) {
	if r.state == scanning {
		r.giveUp(len(r.scan.window))
	}
	if r.block.open {
		if r.state == inPayload {
			r.block.cut = true
			r.block.endFrame(r.frame)
		}
		r.endBlock(r.off-int64(len(seen)), true)
	}
	if len(seen) == 0 && r.nhead > 0 {
		r.h.Lost(r.off-int64(r.nhead), r.off)
	}
	r.hpack.forget()
	r.state, r.nhead = scanning, 0
	r.scan = scanner{window: slices.Clone(seen), start: r.off - int64(len(seen)), clean: -1}
}

// readScan looks for a frame border in what the scan kept and p. It returns the bytes still to be read, which begin at
// the border; if there is none it keeps what is needed and returns nothing.
func (r *Reader) readScan(p []byte) []byte {
	s := &r.scan
	kept := len(s.window) > 0
	r.off += int64(len(p))
	if kept {
		s.window = append(s.window, p...)
		p = s.window
	}
	if at, ok := s.find(p); ok {
		if at > 0 {
			r.h.Lost(s.start, s.start+int64(at))
		}
		r.off = s.start + int64(at)
		r.state, r.scan = inHead, scanner{}
		return p[at:]
	}
	if !kept {
		s.window = append(s.window, p...)
	}
	if len(s.window) > maxWindow {
		r.giveUp(len(s.window) - maxWindow/2)
	}
	return nil
}

// giveUp tells that the first n bytes of the window belong to no frame.
func (r *Reader) giveUp(n int) {
	if n == 0 {
		return
	}
	s := &r.scan
	r.h.Lost(s.start, s.start+int64(n))
	s.start += int64(n)
	s.window = append(s.window[:0], s.window[n:]...)
	s.next = max(0, s.next-n)
	open := s.open[:0]
	for _, at := range s.open {
		if at >= n {
			open = append(open, at-n)
		}
	}
	s.open = open
}

// find returns the first place in p, the window, where a frame begins beyond doubt.
func (s *scanner) find(p []byte) (int, bool) {
	open := s.open[:0]
	for _, at := range s.open {
		switch s.judge(p, at, len(open) == 0) {
		case border:
			return at, true
		case unsettled:
			open = append(open, at)
		}
	}
	s.open = open
	for ; s.next+headLen <= len(p); s.next++ {
		zero := bytes.IndexByte(p[s.next:], 0) // plausible frames begin with one
		if zero < 0 {
			s.next = len(p)
			break
		}
		if s.next += zero; s.next+headLen > len(p) {
			break
		}
		switch s.judge(p, s.next, len(s.open) == 0) {
		case border:
			return s.next, true
		case unsettled:
			if len(s.open) == maxOpen {
				s.open = append(s.open[:0], s.open[1:]...)
			}
			s.open = append(s.open, s.next)
		}
	}
	return 0, false
}

// verdict is what a place looks like.
type verdict uint8

const (
	noBorder verdict = iota
	border
	unsettled // a border as far as the bytes go
)

// judge tells whether a frame begins at place at of p: it takes several plausible headers, each where the one before
// says, or whole frames up to the end of what was written. A single whole frame will do only at the first of the
// unsettled places: the others may lie within its frames.
func (s *scanner) judge(p []byte, at int, first bool) verdict {
	need := enough
	if s.start+int64(at) == s.clean {
		need = enoughClean
	}
	for n := range need {
		if at == len(p) && (n > 1 || n == 1 && first) {
			return border
		}
		if at+headLen > len(p) {
			return unsettled
		}
		f := parseFrame(p[at:], 0)
		if !f.plausible() {
			return noBorder
		}
		at += headLen + f.length
	}
	return border
}

// Missing tells that the next n bytes of the direction were not seen. Where the frame they lie in is known, reading goes
// on behind it; where they cover a frame border, the next one is looked for.
func (r *Reader) Missing(n int64) {
	if n <= 0 {
		return
	}
	if r.state == inPayload {
		if n -= r.skip(int(min(n, int64(r.left)))); n == 0 {
			return
		}
	}
	r.loseStep(nil)
	r.h.Lost(r.off, r.off+n)
	r.off += n
	r.scan.start, r.scan.clean = r.off, r.off
}

// skip passes over n missing bytes of the current frame's payload.
func (r *Reader) skip(n int) int64 {
	switch r.frame.kind {
	case frameData:
		r.loseData(n)
	case frameHeaders, framePushPromise, frameContinuation:
		r.block.cut = true
	case frameRSTStream, frameGoAway:
		if r.frame.length-r.left < len(r.fixed) {
			r.holed = true
			r.h.Lost(r.off, r.off+int64(n))
		}
	}
	r.off += int64(n)
	if r.left -= n; r.left == 0 {
		r.finish()
	}
	return int64(n)
}

// Close tells of the bytes that a scan without success still holds. What is left of an unfinished frame is not told:
// its DATA was, piece by piece.
func (r *Reader) Close() {
	if r.state == scanning {
		r.giveUp(len(r.scan.window))
	}
}
