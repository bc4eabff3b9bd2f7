package jsonrpc

const (
	tooDeep = "nested more than 1000 deep"
	tooMany = "more than 10000 messages in a batch"
)

// cursor walks over JSON text and validates it as it goes. Its methods return false at the first
// byte that cannot be, with i there.
type cursor struct {
	b      []byte
	i      int
	reason string // why the walk failed, if not for the byte at i
}

// fail sets the first reason and returns false.
func (c *cursor) fail(reason string) bool {
	if c.reason == "" {
		c.reason = reason
	}
	return false
}

// ended reports whether the walk failed for want of more bytes.
func (c *cursor) ended() bool { return c.i == len(c.b) && c.reason == "" }

func (c *cursor) err() error {
	switch {
	case c.ended():
		return &SyntaxError{Offset: int64(c.i), Reason: "unexpected end"}
	case c.reason == "":
		return &SyntaxError{Offset: int64(c.i), Reason: "unexpected byte"}
	}
	return &SyntaxError{int64(c.i), c.reason, c.reason == tooDeep || c.reason == tooMany}
}

// peek returns the byte at i, 0 at the end, where a NUL can never stand.
func (c *cursor) peek() byte {
	if c.i < len(c.b) {
		return c.b[c.i]
	}
	return 0
}

// space passes over white space. It is small enough to be inlined where there is none.
func (c *cursor) space() {
	if c.i < len(c.b) && c.b[c.i] <= ' ' {
		c.spaces()
	}
}

func (c *cursor) spaces() {
	for c.i < len(c.b) {
		switch c.b[c.i] {
		case ' ', '\t', '\r', '\n':
			c.i++
		default:
			return
		}
	}
}

// expect passes over the byte want.
func (c *cursor) expect(want byte) bool {
	if c.peek() != want {
		return false
	}
	c.i++
	return true
}

// value passes over a value; depth is that of an array or object there.
func (c *cursor) value(depth int) bool {
	if b := c.peek(); b == '{' || b == '[' {
		return c.nested(depth)
	}
	return c.scalar()
}

// nested passes over an array or object without recursion: its closing brackets are kept on a stack.
func (c *cursor) nested(depth int) bool {
	var stack [MaxDepth]byte
	open := 0
	for {
		if b := c.peek(); b != '{' && b != '[' {
			if !c.scalar() {
				return false
			}
		} else {
			if depth+open > MaxDepth {
				return c.fail(tooDeep)
			}
			stack[open] = b + 2 // in ASCII the closing bracket
			open++
			c.i++
			if c.space(); c.peek() != b+2 {
				if b == '{' && !c.key() {
					return false
				}
				continue
			}
			c.i++
			open--
		}
		for {
			if open == 0 {
				return true
			}
			c.space()
			if !c.expect(stack[open-1]) {
				break
			}
			open--
		}
		if !c.expect(',') {
			return false
		}
		if c.space(); stack[open-1] == '}' && !c.key() {
			return false
		}
	}
}

// key passes over a key, its colon and the white space around it.
func (c *cursor) key() bool { return c.str() && c.colon() }

// colon passes over a colon and the white space around it.
func (c *cursor) colon() bool {
	if c.space(); !c.expect(':') {
		return false
	}
	c.space()
	return true
}

// members passes over the object at i. It calls f at the first byte of each value with its raw key;
// f passes over the value.
func (c *cursor) members(f func(key []byte) bool) bool {
	return c.list('{', '}', func() bool {
		start := c.i
		if !c.str() {
			return false
		}
		key := c.b[start:c.i]
		return c.colon() && f(key)
	})
}

// elements passes over the array at i. It calls f at the first byte of each element, for f to pass over.
func (c *cursor) elements(f func() bool) bool { return c.list('[', ']', f) }

// list passes over a list between the brackets opening and closing, separated by commas.
func (c *cursor) list(opening, closing byte, item func() bool) bool {
	if !c.expect(opening) {
		return false
	}
	if c.space(); c.expect(closing) {
		return true
	}
	for {
		if !item() {
			return false
		}
		if c.space(); c.expect(closing) {
			return true
		}
		if !c.expect(',') {
			return false
		}
		c.space()
	}
}
