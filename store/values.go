package store

import (
	"cmp"
	"errors"
	"slices"

	"mcptrace/capture"
)

var (
	errRow   = errors.New("the checksum of a row does not fit")
	errValue = errors.New("a value is none that its column may have")
)

// scanner is a row of a result.
type scanner interface{ Scan(...any) error }

// values are those of one row as SQLite gives them, taken one by one from the left. One that its column cannot have yields
// zero.
type values struct {
	left []any
	err  error // what was found wrong with the row first; nil: nothing
}

// checked scans rows of these columns for f. The values before row_crc, where that is among the columns, are held against it
// as they are, before anything is made of them; row_crc itself is not handed on, and NULL in rows of an older version.
func checked(columns []string, f func(v *values) error) func(scanner) error {
	row, to := make([]any, len(columns)), make([]any, len(columns))
	for i := range row {
		to[i] = &row[i]
	}
	sum := slices.Index(columns, "row_crc")
	return func(s scanner) error {
		if err := s.Scan(to...); err != nil {
			return err
		}
		v := values{left: row}
		if sum >= 0 {
			if row[sum] != nil && row[sum] != any(rowSum(row[:sum])) {
				v.err = errRow
			}
			v.left = slices.Delete(row, sum, sum+1)
		}
		return f(&v)
	}
}

func (v *values) fail(err error) { v.err = cmp.Or(v.err, err) }

func (v *values) next() any {
	x := v.left[0]
	v.left = v.left[1:]
	return x
}

// null reports whether the next value is NULL, and takes it if so.
func (v *values) null() bool {
	if v.left[0] != nil {
		return false
	}
	v.next()
	return true
}

// number takes an integer that a T can hold.
func number[T ~int | ~int64 | ~uint32 | ~uint8](v *values) T {
	n, ok := v.next().(int64)
	if !ok || int64(T(n)) != n {
		v.fail(errValue)
		return 0
	}
	return T(n)
}

// moment takes a moment, or NULL where it is not known.
func (v *values) moment() capture.Instant {
	if v.null() {
		return 0
	}
	return number[capture.Instant](v)
}

func (v *values) flag() bool {
	n := number[int64](v)
	if n != flag(n == 1) {
		v.fail(errValue)
	}
	return n == 1
}

func (v *values) text() string {
	s, ok := v.next().(string)
	if !ok {
		v.fail(errValue)
	}
	return s
}

// parsed takes a text and what parse makes of it.
func parsed[T any](v *values, parse func(string) (T, error)) T {
	x, err := parse(v.text())
	v.fail(err)
	return x
}

// blob takes bytes; nil where they are NULL.
func (v *values) blob() []byte {
	if v.null() {
		return nil
	}
	b, ok := v.next().([]byte)
	if !ok {
		v.fail(errValue)
	}
	return b
}
