package store

import (
	"strings"

	"mcptrace/store/lite"
)

func columns(names []string) string { return strings.Join(names, ",") }

// insertInto returns the statement that writes one row. A row that does not fit ends the transaction, as any error does;
// SQLite then need not be able to undo the statement alone, for which it would keep a second journal.
func insertInto(table string, names []string) string {
	return "INSERT OR ROLLBACK INTO " + table + " (" + columns(names) + ") VALUES (?" + strings.Repeat(",?", len(names)-1) + ")"
}

// each calls f with each row of a query.
func each(c *lite.Conn, query string, f func([]lite.Value) error, args ...lite.Value) error {
	s, err := c.Prepare(query)
	if err != nil {
		return err
	}
	defer s.Close()
	return s.Each(f, args...)
}
