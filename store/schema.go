package store

import (
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"net/url"
	"path/filepath"
	"strings"

	_ "modernc.org/sqlite"
)

//go:embed migration/*.sql
var migrationFiles embed.FS

// migrations are the scripts that lead from one version of the schema to the next; version n is what the first n make.
var migrations = readMigrations(migrationFiles)

func readMigrations(files fs.FS) []string {
	names, err := fs.Glob(files, "migration/*.sql") // sorted
	if err != nil || len(names) == 0 {
		panic("store: no migrations")
	}
	var out []string
	for i, name := range names {
		if want := fmt.Sprintf("migration/%04d.sql", i+1); name != want {
			panic("store: " + name + " instead of " + want)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			panic("store: " + err.Error())
		}
		out = append(out, string(text))
	}
	return out
}

// migrate brings a database from version on to the newest, in one transaction.
func migrate(ctx context.Context, c *sql.Conn, version int) error {
	script := "BEGIN IMMEDIATE;"
	for _, m := range migrations[version:] {
		script += m
	}
	script += fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT;", applicationID, len(migrations))
	if _, err := c.ExecContext(ctx, script); err != nil {
		c.ExecContext(context.Background(), "ROLLBACK")
		return err
	}
	return nil
}

// tables are what a recording must have.
var tables = []string{"recording", "input", "connection", "closing", "exchange", "message", "block", "connect_failure"}

// busyTimeout is how long, in milliseconds, another process that holds the file is waited for. It is a constant but for tests.
var busyTimeout = 10_000

// open opens the SQLite file at path with URI parameters and pragmas of the form "name(value)".
func open(path, mode string, pragmas ...string) (*sql.DB, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	abs = filepath.ToSlash(abs)
	if !strings.HasPrefix(abs, "/") {
		abs = "/" + abs // C:/…
	}
	u := url.URL{Scheme: "file", Path: abs}
	q := url.Values{"mode": {mode}}
	for _, p := range append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeout), "trusted_schema(0)", "cell_size_check(1)"}, pragmas...) {
		q.Add("_pragma", p)
	}
	u.RawQuery = q.Encode()
	db, err := sql.Open("sqlite", u.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
