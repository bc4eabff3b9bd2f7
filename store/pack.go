package store

import (
	"encoding/binary"
	"errors"
	"time"

	"mcptrace/capture"
)

// Packed columns are runs of varints (as in protocol buffers), zigzag where a value may be negative, each value as its
// difference to the one of the same kind before it. No column holds a count: the blob's end is the end.

var errPacked = errors.New("packed column cannot be read")

func packSpans(b []byte, spans []capture.Span) []byte {
	var last int64
	for _, s := range spans {
		b = binary.AppendVarint(b, s.Start-last)
		b = binary.AppendVarint(b, s.End-s.Start)
		last = s.End
	}
	return b
}

func packAcks(b []byte, acks []capture.Ack) []byte {
	var last capture.Ack
	for _, a := range acks {
		b = binary.AppendVarint(b, a.Off-last.Off)
		b = binary.AppendVarint(b, int64(a.At-last.At))
		last = a
	}
	return b
}

func packChunks(b []byte, chunks []capture.Chunk) []byte {
	var last capture.Chunk
	for _, c := range chunks {
		b = binary.AppendVarint(b, c.Off-last.Off)
		b = binary.AppendVarint(b, c.Packet-last.Packet)
		b = binary.AppendVarint(b, int64(c.At-last.At))
		b = binary.AppendVarint(b, int64(c.At-c.Seen))
		last = c
	}
	return b
}

// unpacker reads varints; after the first fault it yields zeros.
type unpacker struct {
	b   []byte
	bad bool
}

func (u *unpacker) more() bool { return len(u.b) > 0 && !u.bad }

func (u *unpacker) next() int64 {
	v, n := binary.Varint(u.b)
	if n <= 0 {
		u.bad = true
		return 0
	}
	u.b = u.b[n:]
	return v
}

func (u *unpacker) err() error {
	if u.bad {
		return errPacked
	}
	return nil
}

// unpackSpans appends spans, which must ascend and lie within length bytes, to out.
func unpackSpans(out []capture.Span, b []byte, length int64) ([]capture.Span, error) {
	u := unpacker{b: b}
	var last int64
	for u.more() {
		s := capture.Span{Start: last + u.next()}
		s.End = s.Start + u.next()
		if s.Start < last || s.End < s.Start || s.End > length {
			u.bad = true
		}
		out = append(out, s)
		last = s.End
	}
	return out, u.err()
}

// unpackAcks appends acknowledgements to out.
func unpackAcks(out []capture.Ack, b []byte) ([]capture.Ack, error) {
	u := unpacker{b: b}
	var last capture.Ack
	for u.more() {
		last.Off += u.next()
		last.At += time.Duration(u.next())
		out = append(out, last)
	}
	return out, u.err()
}

// unpackChunks appends chunks, which must ascend and lie within length bytes, to out.
func unpackChunks(out []capture.Chunk, b []byte, length int64) ([]capture.Chunk, error) {
	u := unpacker{b: b}
	if n := len(b) / 6; n > cap(out) {
		out = make([]capture.Chunk, 0, n)
	}
	var last capture.Chunk
	for u.more() {
		c := capture.Chunk{Off: last.Off + u.next(), Packet: last.Packet + u.next(), At: last.At + time.Duration(u.next())}
		c.Seen = c.At - time.Duration(u.next())
		if c.Off < last.Off || c.Off > length {
			u.bad = true
		}
		out = append(out, c)
		last = c
	}
	return out, u.err()
}
