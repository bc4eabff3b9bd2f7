package jsonrpc

import (
	"encoding/binary"
	"math/bits"
)

// scalar passes over a value that is neither an array nor an object.
func (c *cursor) scalar() bool {
	switch b := c.peek(); {
	case b == '"':
		return c.str()
	case isNumber(b):
		return c.number()
	case b == 't':
		return c.literal("true")
	case b == 'f':
		return c.literal("false")
	case b == 'n':
		return c.literal("null")
	}
	return false
}

// str passes over a string.
func (c *cursor) str() bool {
	if !c.expect('"') {
		return false
	}
	for {
		c.plain()
		if c.expect('"') {
			return true
		}
		if !c.expect('\\') || !c.escape() {
			return false // a control character, a bad escape, or the end
		}
	}
}

// plain passes over the bytes of a string up to a quote, a backslash or a control character, eight
// at a time.
func (c *cursor) plain() {
	const ones, high = 0x0101010101010101, 0x8080808080808080
	b, i := c.b, c.i
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		quote, back := w^(ones*'"'), w^(ones*'\\')
		// A byte's high bit is set where subtracting borrows. Borrows spread upwards only, so the
		// lowest hit is a true one.
		if hit := ((w-ones*0x20)&^w | (quote-ones)&^quote | (back-ones)&^back) & high; hit != 0 {
			c.i = i + bits.TrailingZeros64(hit)/8
			return
		}
	}
	for i < len(b) && b[i] >= 0x20 && b[i] != '"' && b[i] != '\\' {
		i++
	}
	c.i = i
}

// escape passes over what follows a backslash.
func (c *cursor) escape() bool {
	switch c.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		c.i++
		return true
	case 'u':
		c.i++
		for range 4 {
			if hexValue(c.peek()) < 0 {
				return false
			}
			c.i++
		}
		return true
	}
	return false
}

// number passes over a number. Where the text ends behind it, more digits may have been to come.
func (c *cursor) number() bool {
	if c.peek() == '-' {
		c.i++
	}
	if !c.expect('0') && !c.digits() {
		return false
	}
	if c.expect('.') && !c.digits() {
		return false
	}
	if b := c.peek(); b == 'e' || b == 'E' {
		c.i++
		if b := c.peek(); b == '+' || b == '-' {
			c.i++
		}
		return c.digits()
	}
	return true
}

// digits passes over one digit or more.
func (c *cursor) digits() bool {
	i := c.i
	for i < len(c.b) && '0' <= c.b[i] && c.b[i] <= '9' {
		i++
	}
	ok := i > c.i
	c.i = i
	return ok
}

func (c *cursor) literal(word string) bool {
	for j := range len(word) {
		if !c.expect(word[j]) {
			return false
		}
	}
	return true
}

// isNumber reports whether a value that begins with b is a number.
func isNumber(b byte) bool { return b == '-' || '0' <= b && b <= '9' }

func hexValue(b byte) rune {
	switch {
	case '0' <= b && b <= '9':
		return rune(b - '0')
	case 'a' <= b|0x20 && b|0x20 <= 'f':
		return rune(b|0x20-'a') + 10
	}
	return -1
}
