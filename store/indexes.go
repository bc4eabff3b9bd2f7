package store

import (
	"context"
	"database/sql"
)

// setAside drops the indexes of the tables and keeps what makes them anew. They serve those who ask the finished file
// with SQL; kept up to date row by row they would cost a good part of an import.
func (w *Writer) setAside(ctx context.Context) error {
	var names []string
	rows, err := w.conn.QueryContext(ctx, "SELECT name, sql FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
	err = eachRow(rows, err, func(row scanner) error {
		var name, text string
		err := row.Scan(&name, &text)
		names, w.indexes = append(names, name), append(w.indexes, text)
		return err
	})
	if err != nil {
		return err
	}
	return execAll(ctx, w.conn, "DROP INDEX ", names)
}

// makeIndexes makes the indexes that were set aside.
func (w *Writer) makeIndexes(ctx context.Context) error {
	defer func() { w.indexes = nil }()
	return execAll(ctx, w.conn, "", w.indexes)
}

func execAll(ctx context.Context, c *sql.Conn, before string, statements []string) error {
	for _, s := range statements {
		if _, err := c.ExecContext(ctx, before+s); err != nil {
			return err
		}
	}
	return nil
}
