package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// What is read with one query: exchanges, and bytes of them unless a single one has more.
const (
	groupRows  = 32
	groupBytes = 2 << 20
)

// groupOf returns the first of some exchanges, at least one, whose messages are read together. One that is damaged stands
// alone.
func groupOf(page []listed) []listed {
	n, bytes := 1, page[0].size
	for n < len(page) && page[n-1].damage == nil && page[n].damage == nil && bytes+page[n].size <= groupBytes {
		bytes += page[n].size
		n++
	}
	return page[:n]
}

// fitting returns how many exchanges of a group, at least one, are read together now that the lengths of their messages are
// known: what a request holds does not stand in the row of its exchange.
func fitting(records []messageRecord) int {
	var bytes int64
	for i := range records {
		m := &records[i]
		if !m.there {
			continue
		}
		if m.bytes > groupBytes-bytes && i >= 2 {
			return i / 2
		}
		bytes += min(max(m.bytes, 0), groupBytes)
	}
	return len(records) / 2
}

func release(ls []listed) {
	for _, l := range ls {
		l.ex.Release()
	}
}

// load reads the rest of the first exchanges of a page and returns how many these are. Where something is wrong with one of
// them none is read.
func (r *Reader) load(ctx context.Context, page []listed) (n int, err error) {
	group := groupOf(page)
	if n, err = r.fill(ctx, group); err != nil {
		release(group)
		return 0, fmt.Errorf("exchange with seq %d: %w", group[0].ex.Seq, err)
	}
	return n, nil
}

// fill reads the rest of as many exchanges of a group as fit.
func (r *Reader) fill(ctx context.Context, group []listed) (n int, err error) {
	if err = cmp.Or(ctx.Err(), group[0].damage); err != nil {
		return 0, err
	}
	for _, l := range group {
		if l.ex.Conn, err = r.connOf(l.conn); err != nil {
			return 0, err
		}
	}
	records, err := r.readRecords(group)
	if err != nil {
		return 0, err
	}
	n = fitting(records)
	if err = r.readBlocks(group[:n], records); err != nil {
		return 0, err
	}
	for i, l := range group[:n] {
		if err = unpackPair(l.ex, records[2*i:2*i+2]); err != nil {
			return 0, damaged(err)
		}
	}
	return n, nil
}

// readRecords reads the messages of a group, but for their bytes: two for each exchange, in memory that is used again for
// the next group.
func (r *Reader) readRecords(group []listed) ([]messageRecord, error) {
	records := r.records[:2*len(group)]
	clear(records)
	first, last := messagesOf(group)
	r.kept = reused(r.kept)
	err := r.messages.Each(checked(messageRead, func(v *values) error {
		m := messageOf(v)
		r.keep(&m.packed)
		if i := indexOf(group, m.id); i >= 0 {
			m.wire = &group[i/2].ex.Request.Wire
			if i%2 != 0 {
				m.wire = &group[i/2].ex.Response.Wire
			}
			records[i] = m
		}
		return nil
	}), lite.Int(first), lite.Int(last))
	return records, err
}

// keep copies packed columns to memory that lasts until the next group is read.
func (r *Reader) keep(p *packed) {
	for _, b := range []*[]byte{&p.head, &p.body, &p.holes, &p.acks, &p.chunks} {
		if *b != nil {
			at := len(r.kept)
			r.kept = append(r.kept, *b...)
			*b = r.kept[at:len(r.kept):len(r.kept)]
		}
	}
}

// readBlocks reads the bytes of the messages of a group.
func (r *Reader) readBlocks(group []listed, records []messageRecord) error {
	first, last := messagesOf(group)
	return r.blocks.Each(func(row []lite.Value) error {
		if row[0].Kind != lite.KindInt {
			return nil
		}
		if i := indexOf(group, row[0].Int); i >= 0 && records[i].there {
			records[i].block(row[1], row[2].Bytes)
		}
		return nil
	}, lite.Int(first), lite.Int(last))
}

// messagesOf returns the keys of the first and the last message of a group.
func messagesOf(group []listed) (first, last int64) {
	return messageID(group[0].ex.Seq, capture.Client), messageID(group[len(group)-1].ex.Seq, capture.Server)
}

// indexOf returns the index of a message among those of a group, -1 where it belongs to none.
func indexOf(group []listed, id int64) int {
	i, ok := slices.BinarySearchFunc(group, id>>1, func(l listed, seq int64) int { return cmp.Compare(l.ex.Seq, seq) })
	if !ok {
		return -1
	}
	return 2*i + int(id&1)
}

// block takes the n-th block of the message.
func (r *messageRecord) block(n lite.Value, data []byte) {
	if n.Kind != lite.KindInt || n.Int != r.blocks {
		r.missing = true
		return
	}
	r.blocks++
	r.sum = crc32.Update(r.sum, castagnoli, data)
	r.wire.Append(data)
}

// unpackPair fills in both messages of ex, whose bytes are there already.
func unpackPair(ex *capture.Exchange, records []messageRecord) error {
	for side, m := range []*capture.Message{&ex.Request, &ex.Response} {
		rec := &records[side]
		switch {
		case !rec.there:
			return errors.New("a message is missing")
		case rec.missing:
			return errors.New("a block is missing")
		}
		if err := rec.unpack(m, methodOf(ex), capture.Side(side)); err != nil {
			return fmt.Errorf("what the %s sent: %w", capture.Side(side), err)
		}
	}
	return nil
}
