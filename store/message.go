package store

import (
	"cmp"
	"errors"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

const messageRead = "id, bytes, head_start, head_end, complete, cut, has_head, head, body, holes, acks, chunk_index, crc, row_crc"

// messageRecord is a row of message as it is read.
type messageRecord struct {
	id, bytes, crc     int64
	headStart, headEnd int64
	complete, cut      bool
	hasHead            bool
	rowSum             *int64
	packed             packed

	wire    *capture.Blob // the bytes, as blocks come
	blocks  int64         // read so far
	missing bool          // a block between them
	sum     uint32        // their checksum
}

func scanMessage(row scanner) (r *messageRecord, err error) {
	r = new(messageRecord)
	p := &r.packed
	err = row.Scan(&r.id, &r.bytes, &r.headStart, &r.headEnd, &r.complete, &r.cut, &r.hasHead, &p.head, &p.body, &p.holes, &p.acks, &p.chunks, &r.crc, &r.rowSum)
	return r, err
}

var (
	errChecksum = errors.New("the checksum does not fit")
	errOffsets  = errors.New("offsets do not fit")
	errHead     = errors.New("the head cannot be read")
)

// unpack fills in m, whose bytes are there already. method is that of the request.
func (r *messageRecord) unpack(m *capture.Message, method string, from capture.Side) (err error) {
	n := m.Wire.Len()
	if n != r.bytes || int64(r.packed.crc(r.sum)) != r.crc {
		return errChecksum
	}
	m.HeadStart, m.HeadEnd, m.Complete, m.Cut = r.headStart, r.headEnd, r.complete, r.cut
	if err := checkSum(r.rowSum, messageValues(r.id, m, r.hasHead)); err != nil {
		return err
	}
	var errs [4]error
	m.Body, errs[0] = unpackSpans(r.packed.body, n)
	m.Holes, errs[1] = unpackSpans(r.packed.holes, n)
	m.Acks, errs[2] = unpackAcks(r.packed.acks)
	m.Chunks, errs[3] = unpackChunks(r.packed.chunks, n)
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
