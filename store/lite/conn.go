package lite

import (
	"fmt"
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// Error is an error of SQLite.
type Error struct {
	code int
	text string
}

// Error returns what SQLite says, and its code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.text, e.code) }

// Code returns SQLite's extended result code.
func (e *Error) Code() int { return e.code }

// Conn is a connection to a database.
type Conn struct {
	tls   *libc.TLS
	db    uintptr
	stmts []*Stmt
	mem   memory
}

// Open opens the database at uri, which must be there, and executes pragmas of the form "name(value)".
func Open(uri string, pragmas ...string) (*Conn, error) {
	c := &Conn{tls: libc.NewTLS()}
	c.mem.tls = c.tls
	if err := c.open(uri); err != nil {
		c.Close()
		return nil, err
	}
	for _, p := range pragmas {
		if err := c.Exec("PRAGMA " + p); err != nil {
			c.Close()
			return nil, err
		}
	}
	return c, nil
}

func (c *Conn) open(uri string) error {
	defer c.mem.reset()
	to := c.mem.take(int(unsafe.Sizeof(c.db)))
	// One goroutine at a time uses it, so SQLite need not lock it.
	rc := sqlite3.Xsqlite3_open_v2(c.tls, c.mem.text(uri), to, sqlite3.SQLITE_OPEN_READWRITE|sqlite3.SQLITE_OPEN_NOMUTEX|sqlite3.SQLITE_OPEN_URI, 0)
	c.db = *(*uintptr)(at(to))
	if err := c.err(rc); err != nil {
		return err
	}
	return c.err(sqlite3.Xsqlite3_extended_result_codes(c.tls, c.db, 1))
}

// Close gives back the connection and its statements.
func (c *Conn) Close() error {
	if c.tls == nil {
		return nil
	}
	for _, s := range c.stmts {
		sqlite3.Xsqlite3_finalize(c.tls, s.stmt)
	}
	err := c.err(sqlite3.Xsqlite3_close_v2(c.tls, c.db))
	c.mem.free()
	c.tls.Close()
	*c = Conn{}
	return err
}

// err makes an error of a result code; nil: there is none.
func (c *Conn) err(rc int32) error {
	if rc == sqlite3.SQLITE_OK {
		return nil
	}
	text := libc.GoString(sqlite3.Xsqlite3_errstr(c.tls, rc))
	if c.db != 0 {
		if more := libc.GoString(sqlite3.Xsqlite3_errmsg(c.tls, c.db)); more != text {
			text += ": " + more
		}
	}
	return &Error{int(rc), text}
}

// Exec executes statements that have no values and whose rows do not matter.
func (c *Conn) Exec(statements string) error {
	defer c.mem.reset()
	return c.err(sqlite3.Xsqlite3_exec(c.tls, c.db, c.mem.text(statements), 0, 0, 0))
}
