package jsonrpc

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Canonical returns the one form that all spellings of the JSON text raw share: no white space, keys
// in the order of their UTF-16 code units, the last of repeated keys, strings escaped as little as
// possible, numbers by value. If raw is an object, members called drop are left out of it.
//
// Numbers are written as the double nearest to them, but integers and numbers beyond the range of a
// double keep all their digits, so that large identifiers stay apart.
//
// The error is a *SyntaxError. Source: RFC 8785, which has no exception for large numbers.
func Canonical(raw []byte, drop ...string) ([]byte, error) {
	c := canonizer{cursor{b: raw}, make([]byte, 0, len(raw))}
	c.space()
	if !c.value(1, drop) {
		return nil, c.err()
	}
	if c.space(); c.i < len(raw) {
		c.fail("more after the value")
		return nil, c.err()
	}
	return c.out, nil
}

// Fingerprint returns the SHA-256 of the canonical object of method and params, "_meta" left out of
// the latter, so that two attempts at one call are equal. Params that are missing, null or empty
// without "_meta" are all alike. Malformed params count byte for byte.
func Fingerprint(method string, params []byte) [32]byte {
	b := appendString([]byte(`{"method":`), method)
	if params != nil {
		canonical, err := Canonical(params, "_meta")
		switch {
		case err != nil:
			b = append(append(b, "malformed"...), params...)
		case string(canonical) != "null" && string(canonical) != "{}":
			b = append(append(b, `,"params":`...), canonical...)
		}
	}
	return sha256.Sum256(append(b, '}'))
}

// canonizer appends to out what the cursor passes over.
type canonizer struct {
	cursor
	out []byte
}

func (c *canonizer) value(depth int, drop []string) bool {
	switch b := c.peek(); {
	case (b == '{' || b == '[') && depth > MaxDepth:
		return c.fail(tooDeep)
	case b == '{':
		return c.object(depth, drop)
	case b == '[':
		return c.array(depth)
	}
	start := c.i
	if !c.cursor.value(depth) {
		return false
	}
	switch raw := c.b[start:c.i]; {
	case raw[0] == '"':
		c.out = appendString(c.out, decode(raw[1:len(raw)-1]))
	case isNumber(raw[0]):
		c.out = appendNumber(c.out, raw)
	default:
		c.out = append(c.out, raw...)
	}
	return true
}

func (c *canonizer) array(depth int) bool {
	start := len(c.out)
	ok := c.elements(func() bool {
		c.out = append(c.out, ',')
		return c.value(depth+1, nil)
	})
	c.brackets(start, '[', ']')
	return ok
}

// brackets puts brackets around what stands in out from start on, each item led by a comma.
func (c *canonizer) brackets(start int, opening, closing byte) {
	if len(c.out) == start {
		c.out = append(c.out, opening)
	} else {
		c.out[start] = opening
	}
	c.out = append(c.out, closing)
}

// member is where in out a member of an object stands, its comma included.
type member struct {
	name       string
	start, end int
}

func (c *canonizer) object(depth int, drop []string) bool {
	start := len(c.out)
	var ms []member
	ok := c.members(func(key []byte) bool {
		m := member{name: decode(key[1 : len(key)-1]), start: len(c.out)}
		c.out = append(appendString(append(c.out, ','), m.name), ':')
		if !c.value(depth+1, nil) {
			return false
		}
		if m.end = len(c.out); slices.Contains(drop, m.name) {
			c.out = c.out[:m.start]
		} else {
			ms = append(ms, m)
		}
		return true
	})
	c.arrange(start, ms)
	c.brackets(start, '{', '}')
	return ok
}

// arrange brings the members that stand in out from start on into order and leaves out repetitions
// but the last.
func (c *canonizer) arrange(start int, ms []member) {
	byName := func(a, b member) int { return compareUTF16(a.name, b.name) }
	ordered := true
	for i := 1; i < len(ms) && ordered; i++ {
		ordered = byName(ms[i-1], ms[i]) < 0
	}
	if ordered {
		return
	}
	slices.SortStableFunc(ms, byName)
	text := slices.Clone(c.out[start:])
	c.out = c.out[:start]
	for i, m := range ms {
		if i+1 == len(ms) || ms[i+1].name != m.name {
			c.out = append(c.out, text[m.start-start:m.end-start]...)
		}
	}
}

// compareUTF16 orders by UTF-16 code units, which differs from the order of code points only where a
// surrogate meets U+E000 to U+FFFF.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		r, n := utf8.DecodeRuneInString(a)
		s, m := utf8.DecodeRuneInString(b)
		if r != s {
			return cmp.Or(cmp.Compare(firstUnit(r), firstUnit(s)), cmp.Compare(r, s))
		}
		a, b = a[n:], b[m:]
	}
	return cmp.Compare(len(a), len(b))
}

// firstUnit returns the first UTF-16 code unit of r.
func firstUnit(r rune) rune {
	if utf16.RuneLen(r) == 2 {
		r, _ = utf16.EncodeRune(r)
	}
	return r
}

// appendString quotes s. Source: RFC 8785 section 3.2.2.2.
func appendString(out []byte, s string) []byte {
	const hex = "0123456789abcdef"
	const short = "btn\x00fr" // for U+0008 to U+000D
	out = append(out, '"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			out = append(out, '\\', c)
		case c >= 0x20:
			out = append(out, c)
		case '\b' <= c && c <= '\r' && c != '\v':
			out = append(out, '\\', short[c-'\b'])
		default:
			out = append(out, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(out, '"')
}

// appendNumber writes a valid number in the format of ECMAScript.
func appendNumber(out, raw []byte) []byte {
	d, ok := parseDecimal(raw)
	if !ok {
		return append(out, raw...) // an exponent out of all proportion
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && !d.isInteger() && f != 0 {
		d, _ = parseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64))
	}
	return append(out, d.String()...)
}

// isInteger reports whether d has no fraction.
func (d decimal) isInteger() bool { return int64(len(d.digits)) <= d.exp }

// String formats d as ECMAScript's Number::toString does.
func (d decimal) String() string {
	if d.digits == "" {
		return "0"
	}
	sign := ""
	if d.neg {
		sign = "-"
	}
	n := int64(len(d.digits))
	switch {
	case n <= d.exp && d.exp <= 21:
		return sign + d.digits + strings.Repeat("0", int(d.exp-n))
	case 0 < d.exp && d.exp <= 21:
		return sign + d.digits[:d.exp] + "." + d.digits[d.exp:]
	case -6 < d.exp && d.exp <= 0:
		return sign + "0." + strings.Repeat("0", int(-d.exp)) + d.digits
	}
	mantissa := d.digits[:1]
	if n > 1 {
		mantissa += "." + d.digits[1:]
	}
	exp := strconv.FormatInt(d.exp-1, 10)
	if d.exp > 1 {
		exp = "+" + exp
	}
	return sign + mantissa + "e" + exp
}
