package store

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mcptrace/store/lite"
)

// Open opens the recording at path for reading.
//
// One that was cut off by a crash is brought back to its last commit, one of an older version to the newest; where the
// file cannot be written, that happens in a temporary copy. A recording may be read while it is being written.
//
// Errors wrap ErrForeign, ErrNewer, ErrDamaged or ErrLocked where they apply, and name the file.
func Open(path string) (*Reader, error) {
	r := &Reader{path: path}
	if err := r.open(context.Background()); err != nil {
		r.Close()
		return nil, fmt.Errorf("open recording %s: %w", path, plainError(err))
	}
	return r, nil
}

func (r *Reader) open(ctx context.Context) error {
	path, err := filepath.EvalSymlinks(r.path)
	if err != nil {
		return pathError(err)
	}
	if err := r.checkPrefix(path); err != nil {
		return err
	}
	if err := r.connect(ctx, path); err != nil {
		return err
	}
	if err := r.readHeader(ctx); err != nil {
		return err
	}
	return r.keepLock(ctx)
}

// keepLock keeps the lock that readers share from now on, instead of taking it for each query, where nobody writes any
// more.
func (r *Reader) keepLock(ctx context.Context) error {
	var journal string
	err := r.db.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&journal)
	if err != nil || r.unfinished || journal != "delete" {
		return err
	}
	return r.conn.Exec("PRAGMA locking_mode = EXCLUSIVE")
}

// checkPrefix reports ErrForeign unless the file begins as a recording does, and notes whether its end is missing.
func (r *Reader) checkPrefix(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return pathError(err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%w: not a regular file", ErrForeign)
	}
	f, err := os.Open(path)
	if err != nil {
		return pathError(err)
	}
	defer f.Close()
	prefix := make([]byte, headerLen)
	n, err := io.ReadFull(f, prefix)
	switch {
	case n == 0:
		return fmt.Errorf("%w: the file is empty", ErrForeign)
	case IsRecording(prefix[:n]):
		r.short = leastSize(prefix) > info.Size() && !leftovers(path)
		return nil
	case strings.HasPrefix(string(prefix[:n]), sqliteMagic):
		return fmt.Errorf("%w: an SQLite file of another program", ErrForeign)
	case err != nil && err != io.ErrUnexpectedEOF:
		return pathError(err)
	}
	return fmt.Errorf("%w: not an SQLite file", ErrForeign)
}

// headerLen is the length of an SQLite file's header.
const headerLen = 100

// leastSize returns the length that the header of an SQLite file gives it, 0 where it gives none.
//
// Source: SQLite file format, sections 1.3.2 and 1.3.7.
func leastSize(prefix []byte) int64 {
	if !bytes.Equal(prefix[24:28], prefix[92:96]) {
		return 0
	}
	page := int64(binary.BigEndian.Uint16(prefix[16:]))
	if page == 1 {
		page = 1 << 16
	}
	return page * int64(binary.BigEndian.Uint32(prefix[28:]))
}

// connect opens the database: without touching it where it is whole and of this version; else with the right to write,
// which recovers and migrates it; else a copy of it.
func (r *Reader) connect(ctx context.Context, path string) error {
	err := errRecover
	if !leftovers(path) {
		err = r.try(ctx, path, "ro")
	}
	for _, bad := range []error{ErrNewer, ErrForeign, ErrDamaged} {
		if errors.Is(plainError(err), bad) {
			return err
		}
	}
	if err != nil && !isCode(err, codeBusy) { // that was waited for
		err = r.try(ctx, path, "rw")
	}
	if isCode(err, codeReadOnly) || isCode(err, codeCantOpen) {
		copied, e := r.copy(path)
		if e != nil {
			return fmt.Errorf("copy it to where it can be recovered: %w", e)
		}
		err = r.try(ctx, copied, "rw")
	}
	return err
}

// errRecover says that a file must be opened with the right to write.
var errRecover = errors.New("the recording has to be recovered or migrated")

// leftovers reports whether a writer is at work on the file, or was when it died.
func leftovers(path string) bool {
	for _, suffix := range []string{"-journal", "-wal"} {
		if info, err := os.Stat(path + suffix); err == nil && info.Size() > 0 {
			return true
		}
	}
	return false
}

// try opens the file and checks its version, and migrates it where mode is rw.
func (r *Reader) try(ctx context.Context, path, mode string) (err error) {
	db, err := open(path, mode)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			db.Close()
		}
	}()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	version, err := checkVersion(ctx, conn)
	if err != nil {
		return err
	}
	if err = checkTables(ctx, conn); err != nil {
		return err
	}
	if version < len(migrations) {
		if mode == "ro" {
			return errRecover
		}
		if err = migrate(ctx, conn, version); err != nil {
			return err
		}
	}
	if _, err = conn.ExecContext(ctx, "PRAGMA query_only = 1"); err != nil {
		return err
	}
	if r.conn, err = lite.Open(uri(path, mode), pragmas("query_only(1)")...); err != nil {
		return err
	}
	r.db = db
	return nil
}

// checkVersion returns the version of the schema, where it is one that can be read.
func checkVersion(ctx context.Context, conn *sql.Conn) (version int, err error) {
	if err := conn.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return 0, err
	}
	switch {
	case version > len(migrations):
		return 0, fmt.Errorf("%w: its format is %d, this program knows %d: use a newer mcptrace", ErrNewer, version, len(migrations))
	case version <= 0:
		return 0, fmt.Errorf("%w: nothing was recorded", ErrForeign)
	}
	return version, nil
}

// checkTables sees to it that what is read are tables: a view could take for ever.
func checkTables(ctx context.Context, conn *sql.Conn) error {
	for _, t := range tables {
		var n int
		if err := conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = ?", t).Scan(&n); err != nil {
			return err
		}
		if n != 1 {
			return fmt.Errorf("%w: it has no table %s", ErrForeign, t)
		}
	}
	return nil
}

// copy copies the recording and what its writer left beside it to a temporary directory.
func (r *Reader) copy(path string) (string, error) {
	dir, err := os.MkdirTemp("", "mcptrace-*")
	if err != nil {
		return "", err
	}
	r.temp = dir
	to := filepath.Join(dir, "recording")
	for _, suffix := range []string{"", "-journal", "-wal"} {
		err := copyFile(to+suffix, path+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, os.ErrNotExist)) {
			return "", err
		}
	}
	return to, nil
}

func copyFile(to, from string) error {
	src, err := os.Open(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	if _, err := io.Copy(dst, src); err != nil {
		dst.Close()
		return err
	}
	return dst.Close()
}
