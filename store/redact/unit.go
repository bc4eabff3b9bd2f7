package redact

import (
	mrand "math/rand/v2"
	"unicode/utf16"
	"unicode/utf8"
)

// kind is a set of characters that stand for each other. All of one kind take the same room, escaped or not.
type kind uint8

const (
	kept  kind = iota // stays: white space, punctuation, controls, what is no character
	lower             // a-z
	upper             // A-Z
	digit             // 0-9
	two               // two bytes in UTF-8
	three
	four
)

// pick returns a character of the kind.
func (k kind) pick(random *mrand.Rand) rune {
	switch k {
	case lower:
		return 'a' + random.Int32N(26)
	case upper:
		return 'A' + random.Int32N(26)
	case digit:
		return '0' + random.Int32N(10)
	case two:
		return 0x400 + random.Int32N(256)
	case three:
		return 0x4e00 + random.Int32N(20000)
	}
	return 0x20000 + random.Int32N(40000)
}

func kindOf(c rune) kind {
	switch {
	case 'a' <= c && c <= 'z':
		return lower
	case 'A' <= c && c <= 'Z':
		return upper
	case '0' <= c && c <= '9':
		return digit
	case c < 0xa0 || c == utf8.RuneError || c == 0xfeff || c == 0x2028 || c == 0x2029:
		return kept
	case c < 0x800:
		return two
	case c < 0x10000:
		return three
	}
	return four
}

// unit is one character of a text.
type unit struct {
	r        rune
	kind     kind
	at, size int
	escaped  bool // written \uXXXX
}

// write puts c, of the same kind, in the place of u.
func (u *unit) write(b []byte, c rune) {
	p := b[u.at : u.at+u.size]
	switch {
	case !u.escaped:
		utf8.EncodeRune(p, c)
	case u.size == 12:
		high, low := utf16.EncodeRune(c)
		hex(p[2:6], high)
		hex(p[8:12], low)
	default:
		hex(p[2:6], c)
	}
}

func hex(p []byte, c rune) {
	for i := range p {
		p[i] = "0123456789abcdef"[c>>(12-4*i)&15]
	}
}

// units calls f with each character of b. With escapes b is the inside of a JSON string, perhaps cut off. f may write the
// unit anew.
func units(b []byte, escapes bool, f func(unit)) {
	for i := 0; i < len(b); {
		u := unit{at: i}
		if escapes && b[i] == '\\' {
			u.r, u.size, u.escaped = escape(b[i:])
			if u.escaped {
				u.kind = kindOf(u.r)
			}
		} else {
			u.r, u.size = utf8.DecodeRune(b[i:])
			if u.r != utf8.RuneError {
				u.kind = kindOf(u.r)
			}
		}
		i += u.size
		f(u)
	}
}

var simple = map[byte]rune{'n': '\n', 't': '\t', 'r': '\r', 'b': '\b', 'f': '\f'}

// escape reads the escape sequence that b begins with. u: it is \uXXXX, or a pair of them.
func escape(b []byte) (c rune, size int, u bool) {
	if len(b) < 2 {
		return utf8.RuneError, len(b), false
	}
	if b[1] != 'u' {
		if c, ok := simple[b[1]]; ok {
			return c, 2, false
		}
		if b[1] >= utf8.RuneSelf {
			return utf8.RuneError, 1, false
		}
		return rune(b[1]), 2, false
	}
	c, ok := hex4(b)
	if !ok {
		return utf8.RuneError, 1, false
	}
	if !utf16.IsSurrogate(c) {
		return c, 6, true
	}
	if low, ok := hex4(b[6:]); ok {
		if r := utf16.DecodeRune(c, low); r != utf8.RuneError {
			return r, 12, true
		}
	}
	return utf8.RuneError, 6, true // half a pair: stays
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	var c rune
	for _, x := range b[2:6] {
		switch {
		case '0' <= x && x <= '9':
			c = c<<4 | rune(x-'0')
		case 'a' <= x|0x20 && x|0x20 <= 'f':
			c = c<<4 | rune(x|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return c, true
}
