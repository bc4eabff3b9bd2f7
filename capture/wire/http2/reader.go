package http2

import "encoding/binary"

// state is what a Reader expects next.
type state uint8

const (
	inPreface state = iota // the client's preface
	inHead                 // a frame header
	inPayload              // the rest of a frame
	scanning               // anything: a frame border is looked for
)

// Reader reads one direction of an HTTP/2 connection. It holds a header block until it is whole (at most 1 MiB), and
// while it scans at most 256 KiB and the bytes just written; DATA passes through.
type Reader struct {
	h     Handler
	off   int64 // of the next byte
	state state

	head  [headLen]byte // the frame header, or as much of it as is there
	nhead int
	frame frame
	left  int     // payload bytes still to come
	fixed [8]byte // the payload of a RST_STREAM, the beginning of a GOAWAY
	holed bool    // bytes of fixed are missing
	data  dataPart
	block block
	scan  scanner
	hpack decoder
	// limited tells that the header block told last is more than is kept.
	limited bool
}

// NewReader returns a Reader at the beginning of a connection, which tells h what it finds. A client's direction begins
// with the Preface, a server's with a frame.
func NewReader(h Handler, fromClient bool) *Reader {
	r := &Reader{h: h, state: inHead, hpack: newDecoder()}
	if fromClient {
		r.state = inPreface
	}
	return r
}

// Limited reports whether the header block told last lacks fields because it exceeds what is kept: 1 MiB of it, or of the
// list it stands for.
func (r *Reader) Limited() bool { return r.limited }

// Resync makes r look for a frame border from here on: the next byte is anywhere in the connection, although often the
// first of a frame. Until the border is sure (the frame is whole, or others follow it) r tells nothing, and then what it
// held. Header blocks from before are unknown to it, so names and values that refer to them stay unknown.
func (r *Reader) Resync() {
	r.loseStep(nil)
	r.scan.clean = r.off
}

// Write reads the next bytes of the direction. The end of p counts as evidence of a frame border where one is looked
// for, since writers send whole frames; otherwise it does not matter how the direction is cut into pieces.
func (r *Reader) Write(p []byte) {
	for len(p) > 0 {
		n := 0
		switch r.state {
		case inPreface:
			n = r.readPreface(p)
		case inHead:
			n = r.readHead(p)
		case inPayload:
			n = r.readPayload(p)
		case scanning:
			// The border may lie in bytes of an earlier Write.
			p = r.readScan(p)
			continue
		}
		p = p[n:]
	}
}

func (r *Reader) readPreface(p []byte) int {
	rest := Preface[r.nhead:]
	n := min(len(p), len(rest))
	if string(p[:n]) != rest[:n] {
		start := r.off - int64(r.nhead)
		r.loseStep([]byte(Preface[:r.nhead]))
		r.scan.clean = start
		return 0
	}
	r.off += int64(n)
	if r.nhead += n; r.nhead == len(Preface) {
		r.state, r.nhead = inHead, 0
	}
	return n
}

func (r *Reader) readHead(p []byte) int {
	if r.nhead == 0 && len(p) >= headLen {
		f := parseFrame(p, r.off)
		if !f.legal() {
			// The scan goes through p as it is: copying the rest of p at each of its senseless headers would cost
			// the square of its length.
			r.loseStep(nil)
			r.scan.next = 1
			return 0
		}
		r.off += headLen
		r.begin(f)
		return headLen
	}
	n := copy(r.head[r.nhead:], p)
	r.off += int64(n)
	if r.nhead += n; r.nhead < headLen {
		return n
	}
	r.nhead = 0
	f := parseFrame(r.head[:], r.off-headLen)
	if !f.legal() {
		r.loseStep(r.head[:])
		r.scan.next = 1
		return n
	}
	r.begin(f)
	return n
}

// begin starts on the payload of f.
func (r *Reader) begin(f frame) {
	r.frame, r.left, r.holed, r.state = f, f.length, false, inPayload
	if r.block.open && f.kind != frameContinuation {
		r.endBlock(f.start, true)
	}
	switch f.kind {
	case frameData:
		r.data = newDataPart(f)
	case frameHeaders, framePushPromise:
		r.block.begin(f)
	case frameContinuation:
		r.continueBlock(f)
	}
	if r.left == 0 {
		r.finish()
	}
}

// readPayload reads what p holds of the frame's payload, or a piece of it.
func (r *Reader) readPayload(p []byte) int {
	p = p[:min(len(p), r.left)]
	switch r.frame.kind {
	case frameData:
		p = p[:r.readData(p)]
	case frameHeaders, framePushPromise, frameContinuation:
		r.block.add(p)
	case frameRSTStream, frameGoAway:
		if got := r.frame.length - r.left; got < len(r.fixed) {
			copy(r.fixed[got:], p)
		}
	}
	r.off += int64(len(p))
	if r.left -= len(p); r.left == 0 {
		r.finish()
	}
	return len(p)
}

// finish tells of the frame whose last byte was read.
func (r *Reader) finish() {
	r.state = inHead
	f, end := r.frame, r.frame.end()
	switch f.kind {
	case frameData:
		r.h.DataEnd(f.id(), f.has(flagEndStream), end)
	case frameHeaders, framePushPromise, frameContinuation:
		r.block.endFrame(f)
		if r.block.open && f.has(flagEndHeaders) {
			r.endBlock(end, false)
		}
	case frameRSTStream:
		if !r.holed {
			r.h.Reset(f.id(), binary.BigEndian.Uint32(r.fixed[:]), end)
		}
	case frameGoAway:
		if !r.holed {
			last := binary.BigEndian.Uint32(r.fixed[:]) &^ (1 << 31)
			r.h.GoAway(last, binary.BigEndian.Uint32(r.fixed[4:]), end)
		}
	case frameSettings:
		r.h.Settings(end, f.has(flagAck))
	case framePing:
		r.h.Ping(f.has(flagAck), end)
	}
}
