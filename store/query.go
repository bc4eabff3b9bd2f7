package store

import (
	"context"
	"database/sql"
	"strings"
)

func columns(names []string) string { return strings.Join(names, ",") }

// each calls f with each row of a query.
func each(ctx context.Context, db *sql.DB, query string, f func(scanner) error, args ...any) error {
	rows, err := db.QueryContext(ctx, query, args...)
	return eachRow(rows, err, f)
}

// eachOf calls f with each row of a prepared query.
func eachOf(ctx context.Context, s *sql.Stmt, f func(scanner) error, args ...any) error {
	rows, err := s.QueryContext(ctx, args...)
	return eachRow(rows, err, f)
}

func eachRow(rows *sql.Rows, err error, f func(scanner) error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := f(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
