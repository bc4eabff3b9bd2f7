package store

import (
	"fmt"
	"maps"
	"weak"

	"mcptrace/capture"
)

// writtenConns are the connections that a Writer knows: those with exchanges in its file that may still change.
type writtenConns struct {
	known   map[*capture.Conn]*writtenConn
	changed []*capture.Conn // to be written before the next commit
	last    int64           // connection.id

	// ended are those that were let go, by their numbers; 0: none yet. Exchanges of theirs that waited elsewhere may still come, as long
	// as somebody else holds the connection.
	ended map[weak.Pointer[capture.Conn]]int64
	most  int // of ended, before those that are gone are looked for
}

// leastEnded keeps a few ended connections from being looked through time and again.
const leastEnded = 1024

func newWrittenConns() writtenConns {
	return writtenConns{known: map[*capture.Conn]*writtenConn{}, ended: map[weak.Pointer[capture.Conn]]int64{}, most: leastEnded}
}

type writtenConn struct {
	id      int64
	changed bool
	stored  bool   // it stands in the file already
	over    bool   // let go once it is written
	as      uint64 // hash of it as it was written last
}

// id returns the number under which c is written, and sees to it that it will be.
func (w *writtenConns) id(c *capture.Conn) int64 {
	k := w.known[c]
	if k == nil {
		k = new(writtenConn)
		k.id, k.over = w.ended[weak.Make(c)]
		if k.stored = k.id > 0; !k.stored {
			w.last++
			k.id = w.last
		}
		w.known[c] = k
	}
	if !k.changed {
		k.changed = true
		w.changed = append(w.changed, c)
	}
	return k.id
}

// letGo forgets a connection that is over, but for its number.
func (w *writtenConns) letGo(c *capture.Conn, id int64) {
	delete(w.known, c)
	w.ended[weak.Make(c)] = id
	if len(w.ended) > w.most {
		maps.DeleteFunc(w.ended, func(p weak.Pointer[capture.Conn], _ int64) bool { return p.Value() == nil })
		w.most = max(leastEnded, 2*len(w.ended))
	}
}

// wanted reports whether c has a place in the file: an exchange belongs to it, or it is TLS that could not be read.
func (w *writtenConns) wanted(c *capture.Conn) bool {
	return w.known[c] != nil || w.ended[weak.Make(c)] > 0 || c.TLS != nil && !c.TLS.Readable
}

// EndConnection writes c as it is now and lets go of it, so that a recording may run for weeks: nothing more comes of it but
// exchanges that were held back. See Finish for those that are left out.
func (w *Writer) EndConnection(c *capture.Conn) error {
	if err := w.usable(); err != nil {
		return err
	}
	k := w.conns.known[c]
	switch {
	case !w.conns.wanted(c):
		w.conns.letGo(c, 0)
		return nil
	case k != nil && !k.changed && k.stored && k.as == w.hashConn(c):
		w.conns.letGo(c, k.id)
		return nil
	}
	if err := w.begin(); err != nil {
		return w.fail(err)
	}
	w.conns.id(c)
	w.conns.known[c].over = true
	return nil
}

// flushConns writes the connections that have changed.
func (w *Writer) flushConns() error {
	for _, c := range w.conns.changed {
		k := w.conns.known[c]
		if h := w.hashConn(c); !k.stored || k.as != h {
			if err := w.writeConn(k, c); err != nil {
				return err
			}
			k.stored, k.as = true, h
		}
		k.changed = false
		if k.over {
			w.conns.letGo(c, k.id)
		}
	}
	clear(w.conns.changed)
	w.conns.changed = w.conns.changed[:0]
	return nil
}

// hashConn returns a hash of all that is written of a connection.
func (w *Writer) hashConn(c *capture.Conn) uint64 {
	w.hash.Reset()
	w.hash.Write(w.connections.bytes(connectionRow(w.connections.row, 0, c)))
	for n := range c.Closings {
		w.hash.Write(w.closings.bytes(closingRow(w.closings.row, 0, n, &c.Closings[n])))
	}
	return w.hash.Sum64()
}

// writeConn writes a connection, in place of what stands in the file.
func (w *Writer) writeConn(k *writtenConn, c *capture.Conn) error {
	if k.stored {
		if err := w.conn.Exec(fmt.Sprintf("DELETE FROM closing WHERE connection = %d; DELETE FROM connection WHERE id = %[1]d", k.id)); err != nil {
			return err
		}
	}
	t := w.connections
	if err := t.add(t.summer.add(connectionRow(t.row, k.id, c))); err != nil {
		return err
	}
	t = w.closings
	for n := range c.Closings {
		if err := t.add(t.summer.add(closingRow(t.row, k.id, n, &c.Closings[n]))); err != nil {
			return err
		}
	}
	return nil
}
