package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"iter"
	"math"
	"os"
	"slices"
	"time"

	"mcptrace/capture"
)

// Reader reads one recording. It is not safe for concurrent use, but exchanges may be asked for while a sequence of them
// is under way.
type Reader struct {
	path string
	temp string // directory of a temporary copy, "" if there is none
	db   *sql.DB

	meta       Meta
	unfinished bool
	short      bool
	inputs     []Input
	conns      map[int64]*capture.Conn
	order      []*capture.Conn

	messages, blocks *sql.Stmt
}

// Meta returns where the recording comes from.
func (r *Reader) Meta() Meta { return r.meta }

// Inputs returns the inputs in the order in which they were given; none while the recording is unfinished.
func (r *Reader) Inputs() []Input { return r.inputs }

// Unfinished reports whether the recording was under way when it was opened, or was cut off.
func (r *Reader) Unfinished() bool { return r.unfinished }

// Truncated reports whether the end of the file is missing. What can be read is whole nevertheless; the rest is an error
// where it is met, and may be nothing but indexes.
func (r *Reader) Truncated() bool { return r.short }

// Conns returns the connections in the order in which they were written. They are the ones that exchanges point to.
func (r *Reader) Conns() ([]*capture.Conn, error) { return r.order, nil }

// Close gives the file back.
func (r *Reader) Close() error {
	var err error
	for _, s := range []*sql.Stmt{r.messages, r.blocks} {
		if s != nil {
			s.Close()
		}
	}
	if r.db != nil {
		err = r.db.Close()
		r.db = nil
	}
	if r.temp != "" {
		os.RemoveAll(r.temp)
	}
	return err
}

// readHeader reads all but failures and exchanges.
func (r *Reader) readHeader(ctx context.Context) (err error) {
	var created *int64
	var state string
	err = r.db.QueryRowContext(ctx, "SELECT tool, created_ns, source, keep_secrets, state FROM recording").
		Scan(&r.meta.Tool, &created, &r.meta.Source, &r.meta.KeepSecrets, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: nothing was recorded", ErrForeign)
	}
	if err != nil {
		return err
	}
	if created != nil {
		r.meta.Created = time.Unix(0, *created).UTC()
	}
	r.unfinished = state != "done"
	err = each(ctx, r.db, "SELECT "+columns(inputColumns)+" FROM input ORDER BY id", func(row scanner) error {
		in, err := scanInput(row)
		r.inputs = append(r.inputs, in)
		return err
	})
	if err != nil {
		return err
	}
	r.conns = map[int64]*capture.Conn{}
	if err = r.readConns(ctx, ""); err != nil {
		return err
	}
	if r.messages, err = r.db.PrepareContext(ctx, "SELECT "+messageRead+" FROM message WHERE id BETWEEN ? AND ? ORDER BY id"); err != nil {
		return err
	}
	r.blocks, err = r.db.PrepareContext(ctx, "SELECT message, n, data FROM block WHERE message BETWEEN ? AND ? ORDER BY message, n")
	return err
}

// readConns reads the connections that where chooses, with their closings.
func (r *Reader) readConns(ctx context.Context, where string, args ...any) error {
	err := each(ctx, r.db, "SELECT "+columns(connectionColumns)+" FROM connection "+where+" ORDER BY id", func(row scanner) error {
		if id, c, err := scanConnection(row); err == nil { // else its exchanges are told as damaged
			r.conns[id] = c
			r.order = append(r.order, c)
		}
		return nil
	}, args...)
	if err != nil {
		return err
	}
	query := "SELECT " + columns(closingColumns) + " FROM closing WHERE connection IN (SELECT id FROM connection " + where + ") ORDER BY connection, n"
	return each(ctx, r.db, query, func(row scanner) error {
		id, closing, err := scanClosing(row)
		switch c := r.conns[id]; {
		case c == nil:
		case err == nil:
			c.Closings = append(c.Closings, closing)
		default:
			r.forget(id)
		}
		return nil
	}, args...)
}

// forget leaves out a connection of which something cannot be read.
func (r *Reader) forget(id int64) {
	r.order = slices.DeleteFunc(r.order, func(c *capture.Conn) bool { return c == r.conns[id] })
	delete(r.conns, id)
}

// Failures returns the attempts to connect that carried nothing, in the order in which they were written.
func (r *Reader) Failures() ([]capture.ConnectFailure, error) {
	var out []capture.ConnectFailure
	err := each(context.Background(), r.db, "SELECT client, server, start_at, kind, side FROM connect_failure ORDER BY id", func(row scanner) error {
		f, err := scanFailure(row)
		out = append(out, f)
		return err
	})
	return out, r.wrap(err)
}

// pageRows is how many exchanges are listed at a time; few of them are in memory whole, see groupOf.
const pageRows = 256

// Exchanges yields the exchanges in order of Seq. Each is the caller's to release.
//
// One that is damaged is yielded as an error that wraps ErrDamaged, and the sequence goes on where the caller does. Any
// other error ends it.
func (r *Reader) Exchanges(ctx context.Context) iter.Seq2[*capture.Exchange, error] {
	return func(yield func(*capture.Exchange, error) bool) {
		after := int64(math.MinInt64)
		for {
			page, err := r.list(ctx, "WHERE seq > ? ORDER BY seq LIMIT ?", after, pageRows)
			if err != nil {
				yield(nil, r.wrap(err))
				return
			}
			if !r.yieldPage(ctx, page, yield) {
				return
			}
			if len(page) < pageRows {
				return
			}
			after = page[len(page)-1].ex.Seq
		}
	}
}

// yieldPage yields the exchanges of a page and reports whether to go on behind it.
func (r *Reader) yieldPage(ctx context.Context, page []listed, yield func(*capture.Exchange, error) bool) bool {
	most := groupRows
	for len(page) > 0 {
		group := groupOf(page[:min(len(page), most)])
		errs, err := r.load(ctx, group)
		if err != nil && len(group) > 1 && ctx.Err() == nil {
			most = 1 // what can be read before the fault is read
			continue
		}
		if err != nil {
			yield(nil, r.wrap(err))
			return false
		}
		page = page[len(group):]
		for i, l := range group {
			ex := l.ex
			if errs[i] != nil {
				ex = nil
			}
			if !yield(ex, r.wrap(errs[i])) {
				release(group[i+1:])
				return false
			}
		}
	}
	return true
}

// Exchange returns the n-th exchange, counted from 1 in order of Seq. It is the caller's to release. The error wraps
// ErrNotFound where there are fewer.
func (r *Reader) Exchange(ctx context.Context, n int) (*capture.Exchange, error) {
	if n < 1 {
		return nil, r.wrap(fmt.Errorf("%w: %d", ErrNotFound, n))
	}
	page, err := r.list(ctx, "ORDER BY seq LIMIT 1 OFFSET ?", n-1)
	if err == nil && len(page) == 0 {
		err = fmt.Errorf("%w: %d", ErrNotFound, n)
	}
	if err != nil {
		return nil, r.wrap(err)
	}
	errs, err := r.load(ctx, page)
	if err = cmp.Or(err, errs[0]); err != nil {
		return nil, r.wrap(err)
	}
	return page[0].ex, nil
}

// wrap names the file.
func (r *Reader) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read recording %s: %w", r.path, plainError(err))
}
