package store

import (
	"context"

	"mcptrace/capture"
)

// writtenConns are the connections that a Writer knows: those with exchanges in its file that may still change.
type writtenConns struct {
	known   map[*capture.Conn]*writtenConn
	changed []*capture.Conn // to be written before the next commit
	last    int64           // connection.id
}

type writtenConn struct {
	id      int64
	changed bool
	over    bool    // let go once it is written
	as      written // how it was written last
}

// written is what of a connection changes while it lasts.
type written struct {
	last           capture.Instant
	closings, gaps int
}

func writtenOf(c *capture.Conn) written { return written{c.Last, len(c.Closings), c.Gaps} }

// id returns the number under which c is written, and sees to it that it will be.
func (w *writtenConns) id(c *capture.Conn) int64 {
	k := w.known[c]
	if k == nil {
		w.last++
		k = &writtenConn{id: w.last}
		w.known[c] = k
	}
	if !k.changed {
		k.changed = true
		w.changed = append(w.changed, c)
	}
	return k.id
}

// wanted reports whether c has a place in the file: an exchange belongs to it, or it is TLS that could not be read.
func (w *writtenConns) wanted(c *capture.Conn) bool {
	return w.known[c] != nil || c.TLS != nil && !c.TLS.Readable
}

// EndConnection writes c as it is now and lets go of it, so that a recording may run for weeks: nothing more comes of it. See
// Finish for those that are left out.
func (w *Writer) EndConnection(c *capture.Conn) error {
	if err := w.usable(); err != nil {
		return err
	}
	if !w.conns.wanted(c) {
		return nil
	}
	if k := w.conns.known[c]; k != nil && !k.changed && k.as == writtenOf(c) {
		delete(w.conns.known, c)
		return nil
	}
	if err := w.begin(context.Background()); err != nil {
		return w.fail(err)
	}
	w.conns.id(c)
	w.conns.known[c].over = true
	return nil
}

// flushConns writes the connections that have changed.
func (w *Writer) flushConns(ctx context.Context) error {
	for _, c := range w.conns.changed {
		k := w.conns.known[c]
		if err := w.writeConn(ctx, k.id, c); err != nil {
			return err
		}
		k.changed, k.as = false, writtenOf(c)
		if k.over {
			delete(w.conns.known, c)
		}
	}
	clear(w.conns.changed)
	w.conns.changed = w.conns.changed[:0]
	return nil
}

func (w *Writer) writeConn(ctx context.Context, id int64, c *capture.Conn) error {
	if _, err := w.connection.ExecContext(ctx, withSum(connectionRow(id, c))...); err != nil {
		return err
	}
	for n := range c.Closings {
		if _, err := w.closing.ExecContext(ctx, withSum(closingRow(id, n, &c.Closings[n]))...); err != nil {
			return err
		}
	}
	return nil
}
