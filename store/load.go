package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/crc32"

	"mcptrace/capture"
)

// listed is an exchange whose messages are not read yet.
type listed struct {
	ex   *capture.Exchange
	conn int64
	size int64 // body bytes of the response
	// damage is what is wrong with its row; nil: nothing.
	damage error
}

func (r *Reader) list(ctx context.Context, rest string, args ...any) (page []listed, err error) {
	err = each(ctx, r.db, "SELECT "+exchangeRead+" FROM exchange "+rest, func(row scanner) error {
		l, err := scanExchange(row)
		page = append(page, l)
		return err
	}, args...)
	return page, err
}

// What is read with one query: exchanges, and bytes of their responses unless a single one has more.
const (
	groupRows  = 32
	groupBytes = 2 << 20
)

// groupOf returns the first of some exchanges, at least one, whose messages are read together.
func groupOf(page []listed) []listed {
	n, bytes := 1, page[0].size
	for n < len(page) && bytes+page[n].size <= groupBytes {
		bytes += page[n].size
		n++
	}
	return page[:n]
}

func release(ls []listed) {
	for _, l := range ls {
		l.ex.Release()
	}
}

// load reads the rest of the exchanges of a group. errs holds for each what is wrong with it alone, nil: nothing; those
// with an error are released. Err is what ended the reading; all are released then.
func (r *Reader) load(ctx context.Context, group []listed) (errs []error, err error) {
	errs = make([]error, len(group))
	for i, l := range group {
		if l.ex.Conn, err = r.connOf(ctx, l.conn); err != nil && !errors.Is(err, ErrDamaged) {
			release(group)
			return errs, err
		}
		errs[i] = cmp.Or(l.damage, err)
	}
	records, err := r.readRecords(ctx, group)
	if err != nil {
		release(group)
		return errs, err
	}
	for i, l := range group {
		if errs[i] == nil {
			errs[i] = unpackPair(l.ex, records[2*i:2*i+2])
		}
		if errs[i] != nil {
			errs[i] = fmt.Errorf("exchange with seq %d: %w", l.ex.Seq, errs[i])
			l.ex.Release()
		}
	}
	return errs, nil
}

func (r *Reader) connOf(ctx context.Context, id int64) (*capture.Conn, error) {
	if r.conns[id] == nil { // written since the recording was opened
		if err := r.readConns(ctx, "WHERE connection.id = ?", id); err != nil {
			return nil, err
		}
	}
	if r.conns[id] == nil {
		return nil, fmt.Errorf("%w: connection %d is missing", ErrDamaged, id)
	}
	return r.conns[id], nil
}

// readRecords reads the messages of a group: two for each exchange, nil where one is missing. Their bytes go to the
// exchanges.
func (r *Reader) readRecords(ctx context.Context, group []listed) ([]*messageRecord, error) {
	first, last := messageID(group[0].ex.Seq, capture.Client), messageID(group[len(group)-1].ex.Seq, capture.Server)
	records := make([]*messageRecord, 2*len(group))
	at := place{group: group}
	err := eachOf(ctx, r.messages, func(row scanner) error {
		m, err := scanMessage(row)
		if err != nil {
			return err
		}
		if i := at.of(m.id); i >= 0 {
			m.wire = &group[i/2].ex.Request.Wire
			if i%2 != 0 {
				m.wire = &group[i/2].ex.Response.Wire
			}
			records[i] = m
		}
		return nil
	}, first, last)
	if err != nil {
		return nil, err
	}
	at = place{group: group}
	err = eachOf(ctx, r.blocks, func(row scanner) error {
		var id, n int64
		var data sql.RawBytes
		if err := row.Scan(&id, &n, &data); err != nil {
			return err
		}
		if i := at.of(id); i >= 0 && records[i] != nil {
			records[i].block(n, data)
		}
		return nil
	}, first, last)
	return records, err
}

// place finds the messages of a group by their keys, which come in ascending order.
type place struct {
	group []listed
	next  int
}

// of returns the index of a message among those of the group, -1 where it belongs to none.
func (p *place) of(id int64) int {
	seq := id >> 1
	for p.next < len(p.group) && p.group[p.next].ex.Seq < seq {
		p.next++
	}
	if p.next == len(p.group) || p.group[p.next].ex.Seq != seq {
		return -1
	}
	return 2*p.next + int(id&1)
}

// block takes the n-th block of the message.
func (r *messageRecord) block(n int64, data []byte) {
	if n != r.blocks {
		r.missing = true
		return
	}
	r.blocks++
	r.sum = crc32.Update(r.sum, castagnoli, data)
	r.wire.Append(data)
}

// unpackPair fills in both messages of ex, whose bytes are there already.
func unpackPair(ex *capture.Exchange, records []*messageRecord) error {
	for side, m := range []*capture.Message{&ex.Request, &ex.Response} {
		rec := records[side]
		switch {
		case rec == nil:
			return fmt.Errorf("%w: a message is missing", ErrDamaged)
		case rec.missing:
			return fmt.Errorf("%w: a block is missing", ErrDamaged)
		}
		if err := rec.unpack(m, methodOf(ex), capture.Side(side)); err != nil {
			return fmt.Errorf("%w: what the %s sent: %w", ErrDamaged, capture.Side(side), err)
		}
	}
	return nil
}
