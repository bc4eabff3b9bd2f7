package store

import (
	"cmp"
	"errors"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// messageRecord is a row of message as it is read.
type messageRecord struct {
	there              bool // else it is missing
	id, bytes, crc     int64
	headStart, headEnd int64
	complete, cut      bool
	hasHead            bool
	packed             packed
	damage             error // what is wrong with the row; nil: nothing

	wire    *capture.Blob // the bytes, as blocks come
	blocks  int64         // read so far
	missing bool          // a block between them
	sum     uint32        // their checksum
}

func messageOf(v *values) messageRecord {
	r := messageRecord{there: true, id: number[int64](v), headStart: number[int64](v), headEnd: number[int64](v),
		complete: v.flag(), cut: v.flag(), hasHead: v.flag(), bytes: number[int64](v)}
	r.packed = packed{head: v.blob(), body: v.blob(), holes: v.blob(), acks: v.blob(), chunks: v.blob()}
	r.crc, r.damage = number[int64](v), v.err
	return r
}

var (
	errChecksum = errors.New("the checksum does not fit")
	errOffsets  = errors.New("offsets do not fit")
	errHead     = errors.New("the head cannot be read")
)

// unpack fills in m, whose bytes are there already. method is that of the request.
func (r *messageRecord) unpack(m *capture.Message, method string, from capture.Side) (err error) {
	if r.damage != nil {
		return r.damage
	}
	n := m.Wire.Len()
	if n != r.bytes || int64(r.packed.crc(r.sum)) != r.crc {
		return errChecksum
	}
	m.HeadStart, m.HeadEnd, m.Complete, m.Cut = r.headStart, r.headEnd, r.complete, r.cut
	var errs [4]error
	m.Reserve()
	m.Body, errs[0] = unpackSpans(m.Body, r.packed.body, n)
	m.Holes, errs[1] = unpackSpans(nil, r.packed.holes, n)
	m.Acks, errs[2] = unpackAcks(m.Acks, r.packed.acks)
	m.Chunks, errs[3] = unpackChunks(m.Chunks, r.packed.chunks, n)
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	if m.HeadStart < 0 || m.HeadStart > n || m.HeadEnd < 0 || len(m.Chunks) == 0 && len(m.Body) > 0 {
		return errOffsets
	}
	m.Head, err = r.head(m, method, from)
	return err
}

func (r *messageRecord) head(m *capture.Message, method string, from capture.Side) (*http1.Head, error) {
	switch {
	case r.packed.head != nil:
		return unpackHead(r.packed.head)
	case !r.hasHead:
		return nil, nil
	}
	if h := reparse(m, from, method); h != nil {
		return h, nil
	}
	return nil, errHead
}
