package store

import (
	"cmp"
	"errors"
	"slices"

	"mcptrace/capture"
	"mcptrace/store/lite"
)

var (
	errRow   = errors.New("the checksum of a row does not fit")
	errValue = errors.New("a value is none that its column may have")
)

// values are those of one row as SQLite gives them, taken one by one from the left. One that its column cannot have yields
// zero.
type values struct {
	left []lite.Value
	err  error // what was found wrong with the row first; nil: nothing
}

// checked hands rows of these columns to f. The values before row_crc, where that is among the columns, are held against it
// as they are, before anything is made of them; row_crc itself is not handed on, and NULL in rows of an older version.
func checked(columns []string, f func(v *values) error) func([]lite.Value) error {
	sum := slices.Index(columns, "row_crc")
	var s summer
	return func(row []lite.Value) error {
		v := values{left: row}
		if sum >= 0 {
			if c := row[sum]; c.Kind != lite.KindNull && (c.Kind != lite.KindInt || c.Int != s.sum(row[:sum])) {
				v.err = errRow
			}
			v.left = slices.Delete(row, sum, sum+1)
		}
		return f(&v)
	}
}

func (v *values) fail(err error) { v.err = cmp.Or(v.err, err) }

func (v *values) next() lite.Value {
	x := v.left[0]
	v.left = v.left[1:]
	return x
}

// null reports whether the next value is NULL, and takes it if so.
func (v *values) null() bool {
	if v.left[0].Kind != lite.KindNull {
		return false
	}
	v.next()
	return true
}

// number takes an integer that a T can hold.
func number[T integer](v *values) T {
	x := v.next()
	if x.Kind != lite.KindInt || int64(T(x.Int)) != x.Int {
		v.fail(errValue)
		return 0
	}
	return T(x.Int)
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
	x := v.next()
	if x.Kind != lite.KindText {
		v.fail(errValue)
	}
	return string(x.Bytes)
}

// parsed takes a text and what parse makes of it.
func parsed[T any](v *values, parse func(string) (T, error)) T {
	x, err := parse(v.text())
	v.fail(err)
	return x
}

// blob takes bytes, which are lent with the row; nil where they are NULL.
func (v *values) blob() []byte {
	if v.null() {
		return nil
	}
	x := v.next()
	if x.Kind != lite.KindBlob {
		v.fail(errValue)
	}
	return x.Bytes
}
