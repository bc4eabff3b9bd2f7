package lite

import "unsafe"

// Kind is the kind of a value.
type Kind uint8

// The kinds of values.
const (
	KindNull Kind = iota
	KindInt
	KindText
	KindBlob
	KindFloat // only met where a file is damaged: what it is does not matter
)

// Value is what stands in a column, or is bound to a parameter. Its bytes are lent.
type Value struct {
	Kind  Kind
	Int   int64
	Bytes []byte // of KindText and KindBlob
}

// Int returns an integer.
func Int(n int64) Value { return Value{Kind: KindInt, Int: n} }

// Text returns a text.
func Text(s string) Value {
	return Value{Kind: KindText, Bytes: unsafe.Slice(unsafe.StringData(s), len(s))}
}

// Blob returns bytes.
func Blob(b []byte) Value { return Value{Kind: KindBlob, Bytes: b} }
