package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"time"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

// Reader reads one recording. It is not safe for concurrent use, but exchanges may be asked for while a sequence of them
// is under way.
type Reader struct {
	path string
	temp string // directory of a temporary copy, "" if there is none
	db   *sql.DB
	conn *lite.Conn // to the same file

	meta       Meta
	unfinished bool
	short      bool
	inputs     []Input
	conns      map[int64]*capture.Conn
	lost       map[int64]error // why connections are not among conns
	order      []*capture.Conn

	messages, blocks *lite.Stmt
	records          [2 * groupRows]messageRecord
	kept             []byte // packed columns of the messages that are being read
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

// Conns returns the connections in the order in which they were written. They are the ones that exchanges point to. Of those
// that are damaged Exchanges tells.
func (r *Reader) Conns() ([]*capture.Conn, error) { return r.order, nil }

// Close gives the file back.
func (r *Reader) Close() error {
	var err error
	if r.conn != nil {
		err = r.conn.Close()
		r.conn = nil
	}
	if r.db != nil {
		err = cmp.Or(r.db.Close(), err)
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
	var keep int64
	var state string
	err = r.db.QueryRowContext(ctx, "SELECT tool, created_ns, source, keep_secrets, state FROM recording").
		Scan(&r.meta.Tool, &created, &r.meta.Source, &keep, &state)
	if errors.Is(err, sql.ErrNoRows) {
		return fmt.Errorf("%w: nothing was recorded", ErrForeign)
	}
	if err != nil {
		return err
	}
	if created != nil {
		r.meta.Created = time.Unix(0, *created).UTC()
	}
	r.meta.KeepSecrets = keep != 0
	r.unfinished = state != "done"
	err = each(r.conn, "SELECT "+columns(inputColumns)+" FROM input ORDER BY id", checked(inputColumns, func(v *values) error {
		r.inputs = append(r.inputs, inputOf(v))
		return damaged(v.err)
	}))
	if err != nil {
		return err
	}
	r.conns, r.lost = map[int64]*capture.Conn{}, map[int64]error{}
	if err = r.readConns("", ""); err != nil {
		return err
	}
	if r.messages, err = r.conn.Prepare("SELECT " + columns(messageRead) + " FROM message WHERE id BETWEEN ? AND ? ORDER BY id"); err != nil {
		return err
	}
	r.blocks, err = r.conn.Prepare("SELECT message, n, data FROM block WHERE message BETWEEN ? AND ? ORDER BY message, n")
	return err
}

// Failures returns the attempts to connect that carried nothing, in the order in which they were written.
func (r *Reader) Failures() ([]capture.ConnectFailure, error) {
	var out []capture.ConnectFailure
	err := each(r.conn, "SELECT "+columns(failureColumns)+" FROM connect_failure ORDER BY id",
		checked(failureColumns, func(v *values) error {
			out = append(out, failureOf(v))
			return damaged(v.err)
		}))
	return out, r.wrap(err)
}

// wrap names the file.
func (r *Reader) wrap(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("read recording %s: %w", r.path, plainError(err))
}
