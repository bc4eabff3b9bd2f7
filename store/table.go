package store

import "mcptrace/store/lite"

// table writes rows of one table. The memory of a row is used again for the next.
type table struct {
	insert *lite.Stmt
	row    []lite.Value
	summer
}

func newTable(c *lite.Conn, name string, columns []string) (*table, error) {
	insert, err := c.Prepare(insertInto(name, columns))
	return &table{insert: insert, row: make([]lite.Value, 0, len(columns))}, err
}

// add writes a row that was appended to t.row.
func (t *table) add(row []lite.Value) error { return t.insert.Exec(row...) }
