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

// pragmas returns those of every connection, and more.
func pragmas(more ...string) []string {
	return append([]string{fmt.Sprintf("busy_timeout(%d)", busyTimeout), "trusted_schema(0)", "cell_size_check(1)"}, more...)
}

// uri returns the URI of the SQLite file at path.
func uri(path, mode string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // C:/…
	}
	u := url.URL{Scheme: "file", Path: path, RawQuery: "mode=" + mode}
	return u.String()
}

// open opens the SQLite file at path with pragmas of the form "name(value)".
func open(path, mode string, more ...string) (*sql.DB, error) {
	q := url.Values{"_pragma": pragmas(more...)}
	db, err := sql.Open("sqlite", uri(path, mode)+"&"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}
