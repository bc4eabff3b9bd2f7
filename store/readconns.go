package store

import (
	"cmp"
	"fmt"
	"slices"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// connOf returns the connection with that key.
func (r *Reader) connOf(id int64) (*capture.Conn, error) {
	if r.conns[id] == nil && r.lost[id] == nil { // written since the recording was opened
		if err := r.readConns("WHERE id = ?", "WHERE connection = ?", lite.Int(id)); err != nil {
			return nil, err
		}
	}
	switch c := r.conns[id]; {
	case r.lost[id] != nil:
		return nil, r.lost[id]
	case c == nil:
		return nil, damaged(fmt.Errorf("connection %d is missing", id))
	default:
		return c, nil
	}
}

// readConns reads connections and their closings, chosen by WHERE clauses with the same arguments; "": all.
func (r *Reader) readConns(conns, closings string, args ...lite.Value) error {
	query := "SELECT " + columns(connectionColumns) + " FROM connection " + conns + " ORDER BY id"
	err := each(r.conn, query, checked(connectionColumns, func(v *values) error {
		id, c := connectionOf(v)
		if v.err != nil {
			r.lose(id, v.err)
			return nil
		}
		r.conns[id] = c
		r.order = append(r.order, c)
		return nil
	}), args...)
	if err != nil {
		return err
	}
	query = "SELECT " + columns(closingColumns) + " FROM closing " + closings + " ORDER BY connection, n"
	return each(r.conn, query, checked(closingColumns, func(v *values) error {
		id, closing := closingOf(v)
		switch c := r.conns[id]; {
		case v.err != nil:
			r.lose(id, fmt.Errorf("its closing: %w", v.err))
		case c != nil:
			c.Closings = append(c.Closings, closing)
		}
		return nil
	}), args...)
}

// lose leaves out a connection of which something cannot be read.
func (r *Reader) lose(id int64, err error) {
	r.lost[id] = cmp.Or(r.lost[id], damaged(fmt.Errorf("connection %d: %w", id, err)))
	r.order = slices.DeleteFunc(r.order, func(c *capture.Conn) bool { return c == r.conns[id] })
	delete(r.conns, id)
}
