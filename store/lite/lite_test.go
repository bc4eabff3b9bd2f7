package lite

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"
)

// openTest returns a connection to a new database with one table.
func openTest(t *testing.T) *Conn {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE t (id INTEGER PRIMARY KEY, v ANY UNIQUE) STRICT"); err != nil {
		t.Fatal(err)
	}
	c, err := Open("file:"+path+"?mode=rw", "synchronous(OFF)")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func prepare(t *testing.T, c *Conn, statement string) *Stmt {
	t.Helper()
	s, err := c.Prepare(statement)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestValues: what is bound is what is read, large and empty values included.
func TestValues(t *testing.T) {
	c := openTest(t)
	insert, read := prepare(t, c, "INSERT INTO t (v, id) VALUES (?, ?)"), prepare(t, c, "SELECT v FROM t WHERE id = ?")
	values := []Value{{}, Int(0), Int(-1 << 63), Text(""), Text("a\x00ö"), Blob([]byte{}), Blob([]byte("\x00\xff")),
		Blob(bytes.Repeat([]byte("x"), piece)), Text(strings.Repeat("y", 3*piece))}
	for i, v := range values {
		if err := insert.Exec(v, Int(int64(i))); err != nil {
			t.Fatal(err)
		}
		n := 0
		err := read.Each(func(row []Value) error {
			if n++; row[0].Kind != v.Kind || row[0].Int != v.Int || !bytes.Equal(row[0].Bytes, v.Bytes) {
				t.Errorf("value %d came back as %.60q", i, fmt.Sprint(row[0]))
			}
			return nil
		}, Int(int64(i)))
		if n != 1 || err != nil {
			t.Errorf("value %d: %d rows, %v", i, n, err)
		}
	}
}

// TestErrors: an error has SQLite's code, and the statement can be used again.
func TestErrors(t *testing.T) {
	c := openTest(t)
	insert := prepare(t, c, "INSERT INTO t (v) VALUES (?)")
	if err := insert.Exec(Text("a")); err != nil {
		t.Fatal(err)
	}
	var e *Error
	if err := insert.Exec(Text("a")); !errors.As(err, &e) || e.Code()&0xff != 19 || !strings.Contains(err.Error(), "UNIQUE constraint failed: t.v") {
		t.Errorf("error %v", err)
	}
	if err := insert.Exec(Text("b")); err != nil {
		t.Error(err)
	}
	stop := errors.New("stop")
	if err := prepare(t, c, "SELECT v FROM t").Each(func([]Value) error { return stop }); err != stop {
		t.Errorf("error %v", err)
	}
	if _, err := c.Prepare("SELECT"); err == nil {
		t.Error("half a statement was prepared")
	}
	if err := c.Exec("INSERT INTO t (v) VALUES (3); SELECT * FROM nowhere"); err == nil {
		t.Error("a table that is not there was read")
	}
	if _, err := Open("file:" + filepath.Join(t.TempDir(), "none.db") + "?mode=rw"); err == nil {
		t.Error("a file that is not there was opened")
	}
}

// TestClose: statements end with their connection, and may end before it.
func TestClose(t *testing.T) {
	c := openTest(t)
	prepare(t, c, "SELECT 1").Close()
	prepare(t, c, "SELECT 2")
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}
