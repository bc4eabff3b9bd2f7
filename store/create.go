package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"mcptrace/store/lite"
	"mcptrace/store/secret"
)

// Create begins a recording at path, with mode 0600. A file that is there already must be empty.
//
// The error names the file and says what to do.
func Create(path string, meta Meta, o Options) (*Writer, error) {
	meta.KeepSecrets = o.KeepSecrets
	made, err := claim(path)
	if err != nil {
		return nil, fmt.Errorf("create recording %s: %w", path, err)
	}
	w := &Writer{path: path, live: o.Live, again: o.Again, conns: newWrittenConns(), open: map[int64]bool{}}
	if !o.KeepSecrets {
		w.disguise.mask = secret.New()
	}
	if err := w.start(meta); err != nil {
		w.shut()
		if made {
			os.Remove(path)
		}
		return nil, fmt.Errorf("create recording %s: %w", path, plainError(err))
	}
	return w, nil
}

// claim makes the file, or takes one that is empty. made tells which.
func claim(path string) (made bool, err error) {
	for _, suffix := range []string{"-journal", "-wal"} {
		if _, err := os.Lstat(path + suffix); err == nil && isEmpty(path) { // beside a file with content it belongs to that
			return false, fmt.Errorf("%s%s is there: another program is using the file, or left that behind: choose another name or remove it", path, suffix)
		}
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		return true, f.Close()
	}
	if !errors.Is(err, fs.ErrExist) {
		return false, pathError(err)
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, pathError(err)
	case !info.Mode().IsRegular():
		return false, errors.New("not a regular file")
	case info.Size() > 0:
		return false, errors.New("the file exists already: remove it or choose another name")
	}
	return false, pathError(os.Chmod(path, 0o600))
}

// isEmpty reports whether nothing stands in the file, or there is none.
func isEmpty(path string) bool {
	info, err := os.Stat(path)
	return err != nil || info.Size() == 0
}

// pathError takes the operation and the path off an error: the caller names them.
func pathError(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}

// start opens the database, makes the tables and prepares what writes to them.
func (w *Writer) start(meta Meta) (err error) {
	if err = w.makeTables(context.Background(), meta); err != nil {
		return err
	}
	// What is deleted (an exchange written anew) must not stay in the file.
	force := "synchronous(NORMAL)"
	if w.again {
		force = "synchronous(OFF)"
	}
	if w.conn, err = lite.Open(uri(w.path, "rw"), pragmas(force, "secure_delete(1)", "cache_size(-1000)")...); err != nil {
		return err
	}
	return w.prepare()
}

// makeTables makes the file an empty recording.
func (w *Writer) makeTables(ctx context.Context, meta Meta) error {
	// Appended pages of a growing file are not journalled: a bulk import writes everything once and is crash-safe still.
	// The small transactions of live traffic are cheaper with smaller pages.
	page := "page_size(16384)"
	if w.live {
		page = "page_size(8192)"
	}
	db, err := open(w.path, "rw", page, "journal_mode(DELETE)", "synchronous(NORMAL)")
	if err != nil {
		return err
	}
	defer db.Close()
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if err = migrate(ctx, c, 0); err != nil {
		return err
	}
	if w.live {
		_, err = c.ExecContext(ctx, "PRAGMA journal_mode = WAL")
	} else {
		err = w.setAside(ctx, c)
	}
	if err != nil {
		return err
	}
	var created any
	if !meta.Created.IsZero() {
		created = meta.Created.UnixNano()
	}
	_, err = c.ExecContext(ctx, "INSERT INTO recording (id, tool, created_ns, source, keep_secrets) VALUES (1, ?, ?, ?, ?)",
		meta.Tool, created, meta.Source, flag(meta.KeepSecrets))
	return err
}

func (w *Writer) prepare() (err error) {
	for _, t := range []struct {
		to      **table
		name    string
		columns []string
	}{
		{&w.exchanges, "exchange", exchangeColumns},
		{&w.messages, "message", messageColumns},
		{&w.blocks, "block", []string{"message", "n", "data"}},
		{&w.connections, "connection", connectionColumns},
		{&w.closings, "closing", closingColumns},
		{&w.inputs, "input", inputColumns},
		{&w.failures, "connect_failure", failureColumns},
	} {
		if *t.to, err = newTable(w.conn, t.name, t.columns); err != nil {
			return err
		}
	}
	return nil
}
