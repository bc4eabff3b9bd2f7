package http2

import "encoding/binary"

// maxBlock is how much of a header block is kept, in bytes. What goes beyond is cut off, and the block is not complete.
const maxBlock = 1 << 20

// keepBlock is how large a buffer is kept for the next header block.
const keepBlock = 1 << 16

// block is the header block being gathered.
type block struct {
	open     bool
	frame    frame // its first
	promised uint32
	buf      []byte
	mark     int  // where in buf the current frame's payload begins
	cut      bool // buf lacks bytes, and holds none from behind them
	limited  bool // … because of maxBlock
}

// begin opens the header block of f, a HEADERS or PUSH_PROMISE frame.
func (b *block) begin(f frame) {
	*b = block{open: true, frame: f, buf: b.buf[:0]}
}

// add takes the next bytes of the current frame's payload.
func (b *block) add(p []byte) {
	if !b.open || b.cut {
		return
	}
	if most := maxBlock - len(b.buf); len(p) > most {
		p, b.cut, b.limited = p[:most], true, true
	}
	b.buf = append(b.buf, p...)
}

// endFrame strips the payload of f, which is all there, to its part of the header block.
func (b *block) endFrame(f frame) {
	if !b.open {
		return
	}
	if f.kind != frameContinuation {
		part, ok := b.strip(f, b.buf[b.mark:])
		b.buf = append(b.buf[:b.mark], part...)
		b.cut = b.cut || !ok
	}
	b.mark = len(b.buf)
}

// strip takes padding, priority and promised stream from the payload of a HEADERS or PUSH_PROMISE frame (RFC 9113
// sections 6.2 and 6.6). It reports false where the payload does not hold what its flags say.
func (b *block) strip(f frame, p []byte) (part []byte, ok bool) {
	pad := 0
	if f.has(flagPadded) {
		if len(p) < 1 {
			return nil, false
		}
		pad, p = int(p[0]), p[1:]
	}
	prefix := 0
	if f.kind == framePushPromise {
		prefix = 4
	} else if f.has(flagPriority) {
		prefix = 5
	}
	if len(p) < prefix {
		return nil, false
	}
	if f.kind == framePushPromise {
		b.promised = binary.BigEndian.Uint32(p) &^ (1 << 31)
	}
	p = p[prefix:]
	if b.cut {
		// The end with the padding is not there.
		return p, true
	}
	if len(p) < pad {
		return nil, false
	}
	return p[:len(p)-pad], true
}

// continueBlock starts on f, a CONTINUATION frame.
func (r *Reader) continueBlock(f frame) {
	if r.block.open && r.block.frame.id() == f.id() {
		return
	}
	// The block began in front of what was seen, or another stream's was not ended: either way one is lost.
	if r.block.open {
		r.endBlock(f.start, true)
	}
	r.hpack.forget()
}

// endBlock tells of the header block gathered so far, which ends at end. With cut set its rest is not there.
func (r *Reader) endBlock(end int64, cut bool) {
	b := &r.block
	b.open = false
	fields, complete := r.hpack.decode(b.buf)
	r.limited = b.limited || r.hpack.list > maxList
	if b.cut || cut {
		r.hpack.forget()
		complete = false
	}
	if cap(b.buf) > keepBlock {
		b.buf = nil
	}
	f := b.frame
	if f.kind == framePushPromise {
		r.h.PushPromise(f.id(), b.promised, fields, end)
		return
	}
	r.h.Headers(f.id(), fields, f.has(flagEndStream), f.start, end, complete)
}
