package store

import (
	"context"
	"database/sql"
	"strings"
)

// Rows are written many at a time: a statement costs several times what a row does.
const (
	batchRows  = 64
	batchBytes = 1 << 20 // of blobs
)

// batch collects rows of one table.
type batch struct {
	one, many *sql.Stmt
	columns   int
	args      []any
	size      int
	// spare is memory for the blobs of rows that are waiting.
	spare []byte
}

// newBatch prepares the insertion of rows with these columns.
func newBatch(ctx context.Context, c *sql.Conn, table string, columns []string) (*batch, error) {
	b := &batch{columns: len(columns)}
	row := "(?" + strings.Repeat(",?", len(columns)-1) + ")"
	// A row that does not fit ends the transaction, as any error does; SQLite then need not be able to undo the statement alone.
	insert := "INSERT OR ROLLBACK INTO " + table + " (" + strings.Join(columns, ",") + ") VALUES " + row
	var err error
	if b.one, err = c.PrepareContext(ctx, insert); err != nil {
		return nil, err
	}
	b.many, err = c.PrepareContext(ctx, insert+strings.Repeat(","+row, batchRows-1))
	return b, err
}

// keep copies p to memory that lasts until the batch is written.
func (b *batch) keep(p []byte) []byte {
	if len(b.spare)+len(p) > cap(b.spare) {
		b.spare = make([]byte, 0, batchBytes+blockSize)
	}
	at := len(b.spare)
	b.spare = append(b.spare, p...)
	b.size += len(p)
	return b.spare[at:]
}

// add adds a row.
func (b *batch) add(ctx context.Context, values ...any) error {
	b.args = append(b.args, values...)
	if len(b.args) == batchRows*b.columns || b.size >= batchBytes {
		return b.flush(ctx)
	}
	return nil
}

// flush writes the rows that wait.
func (b *batch) flush(ctx context.Context) error {
	args := b.args
	if len(args) == batchRows*b.columns {
		if _, err := b.many.ExecContext(ctx, args...); err != nil {
			return err
		}
		args = nil
	}
	for ; len(args) > 0; args = args[b.columns:] {
		if _, err := b.one.ExecContext(ctx, args[:b.columns]...); err != nil {
			return err
		}
	}
	b.drop()
	return nil
}

// drop forgets the rows that wait.
func (b *batch) drop() {
	clear(b.args)
	b.args, b.size, b.spare = b.args[:0], 0, b.spare[:0]
}

func (b *batch) close() {
	b.one.Close()
	b.many.Close()
}
