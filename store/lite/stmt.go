package lite

import (
	"slices"
	"unsafe"

	sqlite3 "modernc.org/sqlite/lib"
)

// Stmt is a prepared statement. It lasts as long as its Conn.
type Stmt struct {
	c    *Conn
	stmt uintptr
	row  []Value
}

// Prepare prepares a statement.
func (c *Conn) Prepare(statement string) (*Stmt, error) {
	defer c.mem.reset()
	s := &Stmt{c: c}
	to := c.mem.take(int(unsafe.Sizeof(s.stmt)))
	if err := c.err(sqlite3.Xsqlite3_prepare_v3(c.tls, c.db, c.mem.text(statement), -1, sqlite3.SQLITE_PREPARE_PERSISTENT, to, 0)); err != nil {
		return nil, err
	}
	s.stmt = *(*uintptr)(at(to))
	s.row = make([]Value, sqlite3.Xsqlite3_column_count(c.tls, s.stmt))
	c.stmts = append(c.stmts, s)
	return s, nil
}

// Exec executes the statement with values for its parameters.
func (s *Stmt) Exec(values ...Value) error {
	return s.Each(func([]Value) error { return nil }, values...)
}

// Each calls f with each row, which is lent for the call. An error of f ends it. No statement of the same Conn may be
// executed meanwhile.
func (s *Stmt) Each(f func(row []Value) error, values ...Value) error {
	defer s.done()
	for i := range values {
		if err := s.bind(int32(i+1), &values[i]); err != nil {
			return err
		}
	}
	for {
		switch rc := sqlite3.Xsqlite3_step(s.c.tls, s.stmt); rc {
		case sqlite3.SQLITE_DONE:
			return nil
		case sqlite3.SQLITE_ROW:
			for i := range s.row {
				s.column(int32(i), &s.row[i])
			}
			if err := f(s.row); err != nil {
				return err
			}
		default:
			return s.c.err(rc)
		}
	}
}

// Close gives the statement back.
func (s *Stmt) Close() {
	sqlite3.Xsqlite3_finalize(s.c.tls, s.stmt)
	s.c.stmts = slices.DeleteFunc(s.c.stmts, func(o *Stmt) bool { return o == s })
}

// done makes the statement ready to be executed again. Its parameters point to memory that is given back: they are bound anew
// before it is.
func (s *Stmt) done() {
	sqlite3.Xsqlite3_reset(s.c.tls, s.stmt) // its error has been reported by the step
	s.c.mem.reset()
}

func (s *Stmt) bind(i int32, v *Value) error {
	tls := s.c.tls
	switch v.Kind {
	case KindInt:
		return s.c.err(sqlite3.Xsqlite3_bind_int64(tls, s.stmt, i, v.Int))
	case KindText:
		return s.c.err(sqlite3.Xsqlite3_bind_text(tls, s.stmt, i, s.c.mem.copy(v.Bytes), int32(len(v.Bytes)), 0))
	case KindBlob:
		return s.c.err(sqlite3.Xsqlite3_bind_blob(tls, s.stmt, i, s.c.mem.copy(v.Bytes), int32(len(v.Bytes)), 0))
	}
	return s.c.err(sqlite3.Xsqlite3_bind_null(tls, s.stmt, i))
}

// column reads a value of the row.
func (s *Stmt) column(i int32, v *Value) {
	tls := s.c.tls
	switch sqlite3.Xsqlite3_column_type(tls, s.stmt, i) {
	case sqlite3.SQLITE_INTEGER:
		*v = Int(sqlite3.Xsqlite3_column_int64(tls, s.stmt, i))
	case sqlite3.SQLITE_TEXT:
		p := sqlite3.Xsqlite3_column_text(tls, s.stmt, i)
		*v = Value{Kind: KindText, Bytes: view(p, int(sqlite3.Xsqlite3_column_bytes(tls, s.stmt, i)))}
	case sqlite3.SQLITE_BLOB:
		p := sqlite3.Xsqlite3_column_blob(tls, s.stmt, i)
		*v = Value{Kind: KindBlob, Bytes: view(p, int(sqlite3.Xsqlite3_column_bytes(tls, s.stmt, i)))}
	case sqlite3.SQLITE_FLOAT:
		*v = Value{Kind: KindFloat}
	default:
		*v = Value{}
	}
}
