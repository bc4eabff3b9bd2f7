package store

import (
	"context"
	"database/sql"
	"strings"
)

// setAside drops the indexes of the tables and keeps what makes them anew. They serve those who ask the finished file
// with SQL; kept up to date row by row they would cost a good part of an import.
func (w *Writer) setAside(ctx context.Context, c *sql.Conn) error {
	rows, err := c.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
	if err != nil {
		return err
	}
	defer rows.Close()
	var drop []string
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			return err
		}
		drop, w.indexes = append(drop, "DROP INDEX "+name), append(w.indexes, text)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	_, err = c.ExecContext(ctx, strings.Join(drop, ";"))
	return err
}

// makeIndexes makes the indexes that were set aside.
func (w *Writer) makeIndexes() error {
	defer func() { w.indexes = nil }()
	return w.conn.Exec(strings.Join(w.indexes, ";"))
}
