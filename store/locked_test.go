package store

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// lock has another connection hold the file at path until what it returns is called.
func lock(t *testing.T, path, how string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("BEGIN " + how); err != nil {
		t.Fatal(err)
	}
	return func() { db.Close() }
}

// waitFor sets for how long a lock is waited for.
func waitFor(t *testing.T, d time.Duration) {
	before := busyTimeout
	busyTimeout = int(d.Milliseconds())
	t.Cleanup(func() { busyTimeout = before })
}

// isLocked fails the test unless err says in one line, after one wait, that the file at path is locked.
func isLocked(t *testing.T, what, path string, err error, began time.Time) {
	t.Helper()
	if !errors.Is(err, ErrLocked) || errors.Is(err, ErrDamaged) || strings.Count(err.Error(), path) != 1 || strings.Count(err.Error(), ErrLocked.Error()) != 1 || strings.Contains(err.Error(), "\n") {
		t.Errorf("%s: error %v", what, err)
	}
	wait := time.Duration(busyTimeout) * time.Millisecond
	if d := time.Since(began); d < wait*9/10 || d > wait*19/10 {
		t.Errorf("%s: failed after %v, want %v", what, d, wait)
	}
}

// TestWriteLocked: a writer whose file another one keeps locked fails once it has waited, and keeps what was committed.
func TestWriteLocked(t *testing.T) {
	waitFor(t, time.Second)
	exs, _ := talks(3)
	for _, o := range []Options{{}, {Live: true}} {
		path := filepath.Join(t.TempDir(), "r.db")
		w, err := Create(path, Meta{}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Add(exs[0]), w.Flush()); err != nil {
			t.Fatal(err)
		}
		release := lock(t, path, "IMMEDIATE")
		began := time.Now()
		err = w.Add(exs[1])
		isLocked(t, "add", path, err, began)
		began = time.Now()
		if e := w.Close(); e != err || time.Since(began) > 500*time.Millisecond {
			t.Errorf("close after %v: %v", time.Since(began), e)
		}
		release()
		sameExchanges(t, readAll(t, path), exs[:1])
	}
}

// TestLockGoesAway: where the lock goes away in time nothing is lost, whoever waits for it.
func TestLockGoesAway(t *testing.T) {
	exs, conns := talks(3)
	for _, o := range []Options{{}, {Live: true}} {
		path := filepath.Join(t.TempDir(), "r.db")
		w, err := Create(path, Meta{}, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, ex := range exs {
			release := lock(t, path, "EXCLUSIVE")
			time.AfterFunc(100*time.Millisecond, release)
			if err := errors.Join(w.Add(ex), w.Flush()); err != nil {
				t.Fatalf("exchange %d: %v", i, err)
			}
		}
		if err := errors.Join(w.Finish(nil, conns), w.Close()); err != nil {
			t.Fatal(err)
		}
		time.AfterFunc(100*time.Millisecond, lock(t, path, "EXCLUSIVE"))
		sameExchanges(t, readAll(t, path), exs)
	}
}

// TestCreateInUse: what another program writes to is not taken, and nobody is told to remove what it needs.
func TestCreateInUse(t *testing.T) {
	path := write(t, nil)
	release := lock(t, path, "IMMEDIATE")
	defer release()
	if _, err := Create(path, Meta{}, Options{}); err == nil || !strings.Contains(err.Error(), "another program is using the file") {
		t.Errorf("an empty file: %v", err)
	}
	running := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(running, Meta{}, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if _, err := Create(running, Meta{}, Options{}); err == nil || !strings.Contains(err.Error(), "the file exists already") || strings.Contains(err.Error(), "-wal") {
		t.Errorf("a recording under way: %v", err)
	}
}

// TestReadLocked: a reader waits once and says why, also in the middle of what it reads. That is no damage.
func TestReadLocked(t *testing.T) {
	waitFor(t, time.Second)
	exs, conns := talks(2 * pageRows)
	whole := recordAll(t, Options{}, exs, conns)
	release := lock(t, whole, "EXCLUSIVE")
	began := time.Now()
	_, err := Open(whole)
	isLocked(t, "open", whole, err, began)
	release()

	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range exs {
		if err := w.Add(ex); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil { // not finished: the reader keeps no lock
		t.Fatal(err)
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	good := 0
	var failed []error
	release = nil
	for ex, err := range r.Exchanges(context.Background()) {
		if err != nil {
			failed = append(failed, err)
			continue
		}
		good++
		ex.Release()
		if release == nil {
			release = lock(t, path, "EXCLUSIVE")
			began = time.Now()
		}
	}
	release()
	if good == 0 || good == len(exs) || len(failed) != 1 {
		t.Fatalf("%d exchanges, errors %v", good, failed)
	}
	isLocked(t, "read", path, failed[0], began)
	if ex, err := r.Exchange(context.Background(), len(exs)); err != nil || ex.Seq != exs[len(exs)-1].Seq {
		t.Errorf("once the lock is gone: %v", err)
	}
}
