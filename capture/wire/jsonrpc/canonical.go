package jsonrpc

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"slices"
	"strconv"
	"strings"
	"sync"
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
	c := canonizer{cursor: cursor{b: raw}, drop: drop, out: make([]byte, 0, len(raw))}
	if !c.whole() {
		return nil, c.err()
	}
	return c.out, nil
}

// Fingerprint returns the SHA-256 of the canonical object of method and params, "_meta" left out of
// the latter, so that two attempts at one call are equal. Params that are missing, null or empty
// without "_meta" are all alike. Malformed params count byte for byte.
//
// Each, if not nil, is called for every member of params with its decoded key and the canonical form
// of its value, both lent for the call; of malformed params it may see some.
func Fingerprint(method string, params []byte, each func(key, canonical []byte)) [32]byte {
	c := canonizers.Get().(*canonizer)
	defer canonizers.Put(c)
	c.cursor, c.drop, c.each = cursor{b: params}, dropMeta, each
	c.out = appendString(append(c.out[:0], `{"method":`...), []byte(method))
	if params != nil {
		start := len(c.out)
		c.out = append(c.out, `,"params":`...)
		value := len(c.out)
		switch ok := c.whole(); {
		case !ok:
			c.out = append(append(c.out[:start], "malformed"...), params...)
		case string(c.out[value:]) == "null" || string(c.out[value:]) == "{}":
			c.out = c.out[:start]
		}
	}
	c.out = append(c.out, '}')
	sum := sha256.Sum256(c.out)
	c.b, c.each = nil, nil
	clear(c.pending[:cap(c.pending)])
	if cap(c.out) > maxPooled {
		c.out = nil
	}
	return sum
}

// maxPooled is the largest text that stays with a pooled canonizer.
const maxPooled = 1 << 20

var dropMeta = []string{"_meta"}

var canonizers = sync.Pool{New: func() any { return new(canonizer) }}

// canonizer appends to out what the cursor passes over.
type canonizer struct {
	cursor
	drop    []string
	each    func(key, canonical []byte) // sees the members of the outermost object; may be nil
	out     []byte
	pending []placed // of the objects under way, the innermost last
}

// whole takes the text as one value.
func (c *canonizer) whole() bool {
	c.space()
	if !c.value(1) {
		return false
	}
	if c.space(); c.i < len(c.b) {
		return c.fail("more after the value")
	}
	return true
}

func (c *canonizer) value(depth int) bool {
	switch b := c.peek(); {
	case (b == '{' || b == '[') && depth > MaxDepth:
		return c.fail(tooDeep)
	case b == '{':
		return c.object(depth)
	case b == '[':
		return c.array(depth)
	}
	start := c.i
	if !c.cursor.value(depth) {
		return false
	}
	switch raw := c.b[start:c.i]; {
	case raw[0] == '"':
		c.out = appendCanonicalString(c.out, raw)
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
		return c.value(depth + 1)
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

// placed is where in out a member of an object stands, its comma included.
type placed struct {
	name       []byte
	start, end int
}

func (c *canonizer) object(depth int) bool {
	start, base := len(c.out), len(c.pending)
	ok := c.members(func(key []byte) bool {
		m := placed{name: decoded(key), start: len(c.out)}
		c.out = append(appendString(append(c.out, ','), m.name), ':')
		value := len(c.out)
		if !c.value(depth + 1) {
			return false
		}
		if depth == 1 && c.each != nil {
			c.each(m.name, c.out[value:])
		}
		if m.end = len(c.out); depth == 1 && slices.Contains(c.drop, string(m.name)) {
			c.out = c.out[:m.start]
		} else {
			c.pending = append(c.pending, m)
		}
		return true
	})
	c.arrange(start, c.pending[base:])
	c.pending = c.pending[:base]
	c.brackets(start, '{', '}')
	return ok
}

// arrange brings the members that stand in out from start on into order and leaves out repetitions
// but the last.
func (c *canonizer) arrange(start int, ms []placed) {
	byName := func(a, b placed) int { return compareUTF16(a.name, b.name) }
	ordered := true
	for i := 1; i < len(ms) && ordered; i++ {
		ordered = byName(ms[i-1], ms[i]) < 0
	}
	if ordered {
		return
	}
	slices.SortStableFunc(ms, byName)
	end := len(c.out) // what is arranged is written behind, then moved
	for i, m := range ms {
		if i+1 == len(ms) || !bytes.Equal(ms[i+1].name, m.name) {
			c.out = append(c.out, c.out[m.start:m.end]...)
		}
	}
	c.out = c.out[:start+copy(c.out[start:], c.out[end:])]
}

// compareUTF16 orders by UTF-16 code units, which differs from the order of code points only where a
// surrogate meets U+E000 to U+FFFF.
func compareUTF16(a, b []byte) int {
	for len(a) > 0 && len(b) > 0 {
		if a[0] == b[0] && a[0] < utf8.RuneSelf {
			a, b = a[1:], b[1:]
			continue
		}
		r, n := utf8.DecodeRune(a)
		s, m := utf8.DecodeRune(b)
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
func appendString(out, s []byte) []byte {
	const hex = "0123456789abcdef"
	const short = "btn\x00fr" // for U+0008 to U+000D
	out = append(out, '"')
	for _, c := range s {
		switch {
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

// appendCanonicalString writes a valid raw string in its canonical form.
func appendCanonicalString(out, raw []byte) []byte {
	if isPlain(raw) {
		return append(out, raw...)
	}
	return appendString(out, decoded(raw))
}

// appendNumber writes a valid number in the format of ECMAScript.
func appendNumber(out, raw []byte) []byte {
	if isPlainInteger(raw) {
		return append(out, raw...)
	}
	d, ok := parseDecimal(raw)
	if !ok {
		return append(out, raw...) // an exponent out of all proportion
	}
	if f, err := strconv.ParseFloat(string(raw), 64); err == nil && !d.isInteger() && f != 0 {
		d, _ = parseDecimal(strconv.AppendFloat(nil, f, 'e', -1, 64))
	}
	return append(out, d.String()...)
}

// isPlainInteger reports whether a valid number is written as ECMAScript would write it: digits only, and few.
func isPlainInteger(raw []byte) bool {
	if len(raw) > 18 || string(raw) == "-0" {
		return false
	}
	for i, c := range raw {
		if (c < '0' || c > '9') && (c != '-' || i > 0) {
			return false
		}
	}
	return true
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
