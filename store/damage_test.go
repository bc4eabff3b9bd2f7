package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptrace/capture"
)

func write(t testing.TB, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x.db")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// sqlite makes an SQLite file by a script.
func sqliteFile(t *testing.T, script string) string {
	t.Helper()
	path := write(t, nil)
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(script); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestOpenRefuses(t *testing.T) {
	exs, conns := odd()
	good := fileBytes(t, recordAll(t, Options{}, exs, conns))
	newer := write(t, good)
	db, _ := sql.Open("sqlite", newer)
	if _, err := db.Exec("PRAGMA user_version = 99"); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for _, test := range []struct {
		name, path string
		want       error
	}{
		{"missing", filepath.Join(t.TempDir(), "none"), fs.ErrNotExist},
		{"directory", t.TempDir(), ErrForeign},
		{"empty", write(t, nil), ErrForeign},
		{"text", write(t, []byte("hello")), ErrForeign},
		{"long text", write(t, bytes.Repeat([]byte("hello"), 100)), ErrForeign},
		{"magic only", write(t, good[:16]), ErrForeign},
		{"another program's", sqliteFile(t, "CREATE TABLE exchange (seq)"), ErrForeign},
		{"no tables", sqliteFile(t, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID)), ErrForeign},
		{"views", sqliteFile(t, fmt.Sprintf("CREATE VIEW recording AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i FROM r) SELECT i FROM r; PRAGMA application_id = %d; PRAGMA user_version = 1", applicationID)), ErrForeign},
		{"newer", newer, ErrNewer},
		{"header only", write(t, good[:100]), ErrDamaged},
		{"first page only", write(t, good[:16384]), ErrDamaged},
	} {
		r, err := Open(test.path)
		if !errors.Is(err, test.want) {
			t.Errorf("%s: %v", test.name, err)
		}
		if err != nil && (!strings.Contains(err.Error(), test.path) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %q does not name the file, on one line", test.name, err)
		}
		if r != nil {
			r.Close()
		}
	}
}

func TestCreateRefuses(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	os.WriteFile(full, []byte("x"), 0o644)
	empty := filepath.Join(dir, "empty")
	os.WriteFile(empty, nil, 0o644)
	left := filepath.Join(dir, "left")
	os.WriteFile(left+"-journal", nil, 0o644)
	for path, ok := range map[string]bool{full: false, empty: true, left: false, dir: false, filepath.Join(dir, "no", "dir"): false, filepath.Join(full, "x"): false, os.DevNull: false} {
		w, err := Create(path, Meta{}, Options{})
		if (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
		if err != nil && strings.Count(err.Error(), path) != 1 && path != left {
			t.Errorf("%s: %v", path, err)
		}
		if w != nil {
			w.Close()
		}
	}
	if b := fileBytes(t, full); string(b) != "x" {
		t.Error("a file that was there was changed")
	}
	if info, _ := os.Stat(empty); info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestIsRecording(t *testing.T) {
	exs, conns := odd()
	good := fileBytes(t, recordAll(t, Options{}, exs, conns))[:PrefixLen]
	for n := range good {
		if IsRecording(good[:n]) {
			t.Errorf("%d bytes are enough", n)
		}
	}
	if !IsRecording(good) || binary.BigEndian.Uint32(good[68:]) != applicationID {
		t.Error("is none")
	}
}

// drain reads all of a recording that may be damaged: exchanges are what they were, or errors.
func drain(t *testing.T, path string, want []*capture.Exchange) (good, bad int) {
	r, err := Open(path)
	if err != nil {
		return 0, 1
	}
	defer r.Close()
	r.Failures()
	if r.Truncated() {
		bad++
	}
	for ex, err := range r.Exchanges(context.Background()) {
		if err != nil {
			bad++
			continue
		}
		if orig := bySeq(want, ex.Seq); orig != nil {
			good++
			if !bytes.Equal(bytesOf(&orig.Request), bytesOf(&ex.Request)) || !bytes.Equal(bytesOf(&orig.Response), bytesOf(&ex.Response)) {
				t.Errorf("seq %d has other bytes, and no error", ex.Seq)
			}
		}
		capture.Read(ex) // may find anything, but not panic
		ex.Release()
	}
	return good, bad
}

func TestTruncated(t *testing.T) {
	exs, conns, _ := traffic(60, 3<<10)
	file := fileBytes(t, recordAll(t, Options{KeepSecrets: true}, exs, conns))
	for n := 0; n < len(file); n += 1 + len(file)/60 {
		if good, bad := drain(t, write(t, file[:n]), exs); good == len(exs) && bad == 0 {
			t.Errorf("cut at %d of %d: nothing is amiss", n, len(file))
		}
	}
}

func TestBitFlips(t *testing.T) {
	exs, conns, _ := traffic(30, 3<<10)
	file := fileBytes(t, recordAll(t, Options{KeepSecrets: true}, exs, conns))
	rng := rand.New(rand.NewPCG(3, 4))
	rounds := 400
	if testing.Short() {
		rounds = 50
	}
	path := write(t, nil)
	var found int
	for range rounds {
		b := bytes.Clone(file)
		for range 1 + rng.IntN(8) {
			i := rng.IntN(len(b))
			if rng.IntN(3) == 0 {
				i = rng.IntN(3 * 16384) // the schema and the first rows
			}
			b[i] ^= 1 << rng.IntN(8)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, bad := drain(t, path, exs); bad > 0 {
			found++
		}
	}
	if found < rounds/2 {
		t.Errorf("only %d of %d were noticed", found, rounds)
	}
}

// TestDamageIsLocal: one bad byte in one message costs one exchange.
func TestDamageIsLocal(t *testing.T) {
	exs, conns, _ := traffic(30, 3<<10)
	exs[7].Response.Wire.Append([]byte("N33DLE"))
	path := recordAll(t, Options{KeepSecrets: true}, exs, conns)
	file := fileBytes(t, path)
	file[bytes.Index(file, []byte("N33DLE"))] ^= 1
	if good, bad := drain(t, write(t, file), exs); good != len(exs)-1 || bad != 1 {
		t.Errorf("%d good, %d bad", good, bad)
	}
}

// TestDiskFull: an error in one line, and what was committed before stays good.
func TestDiskFull(t *testing.T) {
	exs, _, _ := traffic(400, 20<<10)
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{KeepSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.conn.Exec("PRAGMA max_page_count = 200"); err != nil {
		t.Fatal(err)
	}
	committed := 0
	var failed error
	for i, ex := range exs {
		if failed = w.Add(ex); failed == nil && i%20 == 0 {
			if failed = w.Flush(); failed == nil {
				committed = i + 1
			}
		}
		if failed != nil {
			break
		}
	}
	if failed == nil || !strings.Contains(failed.Error(), "the disk is full") || !strings.Contains(failed.Error(), path) || strings.Contains(failed.Error(), "\n") {
		t.Errorf("error %v", failed)
	}
	if err := w.Add(exs[0]); err != failed {
		t.Errorf("then %v", err)
	}
	if err := w.Close(); err != failed {
		t.Errorf("close: %v", err)
	}
	if committed == 0 {
		t.Fatal("nothing was committed")
	}
	if got := readAll(t, path); len(got) != committed {
		t.Errorf("%d exchanges, %d were committed", len(got), committed)
	}
}

// TestCopy: a recording that cannot be recovered in place is recovered in a copy, which is gone afterwards.
func TestCopy(t *testing.T) {
	exs, conns := odd()
	path := recordAll(t, Options{}, exs, conns)
	r := &Reader{path: path}
	copied, err := r.copy(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fileBytes(t, copied), fileBytes(t, path)) {
		t.Error("the copy differs")
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(r.temp); err == nil {
		t.Error("the copy is still there")
	}
}

// TestMigrate opens a recording of an older version.
func TestMigrate(t *testing.T) {
	exs, conns := odd()
	path := recordAll(t, Options{}, exs, conns)
	known := len(migrations)
	migrations = append(migrations, "ALTER TABLE exchange ADD COLUMN tries INTEGER NOT NULL DEFAULT 1;")
	defer func() { migrations = migrations[:known] }()
	for range 2 { // the second finds it migrated
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		var n int
		if err := r.db.QueryRow("SELECT sum(tries) FROM exchange").Scan(&n); err != nil || n != len(exs) {
			t.Error(n, err)
		}
		sameExchanges(t, exchangesOf(t, r), exs)
		r.Close()
	}
	migrations = append(migrations, "THIS IS NO SQL;")
	before := fileBytes(t, path)
	if _, err := Open(path); err == nil || !bytes.Equal(fileBytes(t, path), before) {
		t.Errorf("a migration that fails: %v, or it has changed the file", err)
	}
}
