package jsonrpc

import (
	"bytes"
	"encoding/binary"
	"unicode/utf16"
	"unicode/utf8"
)

// Get returns the raw value that path leads to through nested objects, obj itself for an empty path.
// Of obj it validates no more than it walks over; false means that there is no such member or that
// the walk met something malformed.
func Get(obj []byte, path ...string) ([]byte, bool) {
	c := cursor{b: obj}
	c.space()
	start := c.i
	if !c.value(1) {
		return nil, false
	}
	value := obj[start:c.i:c.i]
	for _, name := range path {
		var ok bool
		if value, ok = lookup(value, name); !ok {
			return nil, false
		}
	}
	return value, true
}

// Members calls f for each member of an object in order, with its decoded key and its raw value, and reports whether
// obj is an object. The key is lent for the call; f may be called before something malformed is met.
func Members(obj []byte, f func(key, value []byte)) bool {
	c := cursor{b: obj}
	c.space()
	return c.members(func(key []byte) bool {
		start := c.i
		if !c.value(1) {
			return false
		}
		f(keyName(key), obj[start:c.i:c.i])
		return true
	})
}

// keyName decodes a raw key for comparison. One without a backslash it lets stand as it is, invalid UTF-8 too.
func keyName(key []byte) []byte {
	if bytes.IndexByte(key, '\\') >= 0 {
		return decoded(key)
	}
	return key[1 : len(key)-1]
}

// lookup returns the raw value of the last member of obj called name.
func lookup(obj []byte, name string) (value []byte, found bool) {
	c := cursor{b: obj}
	ok := c.members(func(key []byte) bool {
		start := c.i
		if !c.value(1) {
			return false
		}
		if isKey(key, name) {
			value, found = obj[start:c.i:c.i], true
		}
		return true
	})
	return value, ok && found
}

// isKey reports whether the raw key decodes to name.
func isKey(key []byte, name string) bool {
	if string(key[1:len(key)-1]) == name {
		return true
	}
	s, ok := Text(key)
	return ok && s == name
}

// Text decodes a raw JSON string. Invalid UTF-8 and lone surrogates become U+FFFD. False means that
// raw is something else.
func Text(raw []byte) (string, bool) {
	c := cursor{b: raw}
	if c.peek() != '"' || !c.str() || c.i < len(raw) {
		return "", false
	}
	return decode(raw[1 : len(raw)-1]), true
}

// decode decodes the inside of a valid string.
func decode(b []byte) string { return string(unquoted(b)) }

// decoded decodes a valid raw string. Where nothing is to be decoded it is a sub-slice of raw.
func decoded(raw []byte) []byte { return unquoted(raw[1 : len(raw)-1]) }

// isPlain reports whether the inside of a valid string means what it says: ASCII without a backslash.
func isPlain(b []byte) bool {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	for ; len(b) >= 8; b = b[8:] {
		w := binary.LittleEndian.Uint64(b)
		back := w ^ (ones * '\\')
		if (w|(back-ones)&^back)&high != 0 {
			return false
		}
	}
	for _, c := range b {
		if c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// unquoted decodes the inside of a valid string, b itself where it is plain.
func unquoted(b []byte) []byte {
	if isPlain(b) {
		return b
	}
	out := make([]byte, 0, len(b))
	for len(b) > 0 {
		if b[0] != '\\' {
			r, n := utf8.DecodeRune(b)
			out = utf8.AppendRune(out, r)
			b = b[n:]
			continue
		}
		r, n := unescape(b)
		out = utf8.AppendRune(out, r)
		b = b[n:]
	}
	return out
}

// unescape decodes the escape sequence b begins with, two where they are a surrogate pair.
func unescape(b []byte) (r rune, n int) {
	switch b[1] {
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'n':
		return '\n', 2
	case 'r':
		return '\r', 2
	case 't':
		return '\t', 2
	case 'u':
		r = hex4(b[2:6])
	default:
		return rune(b[1]), 2
	}
	if !utf16.IsSurrogate(r) {
		return r, 6
	}
	if len(b) >= 12 && b[6] == '\\' && b[7] == 'u' {
		if r = utf16.DecodeRune(r, hex4(b[8:12])); r != utf8.RuneError {
			return r, 12
		}
	}
	return utf8.RuneError, 6
}

func hex4(b []byte) (r rune) {
	for _, c := range b[:4] {
		r = r<<4 | hexValue(c)
	}
	return r
}
