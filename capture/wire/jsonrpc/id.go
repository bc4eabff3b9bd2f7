package jsonrpc

import (
	"math"
	"strconv"
	"strings"
)

// ID is the id of a message as raw JSON text: "1", "\"1\"", "null"; "" is none.
type ID string

// Equal reports whether a and b are the same id: of one type, numbers by value (1 and 1.0), strings
// by what they decode to. It takes the place of ==, which tells spellings apart.
func (a ID) Equal(b ID) bool {
	if a == b {
		return true
	}
	if a == "" || b == "" || (a[0] == '"') != (b[0] == '"') {
		return false
	}
	if a[0] == '"' {
		s, ok1 := Text([]byte(a))
		t, ok2 := Text([]byte(b))
		return ok1 && ok2 && s == t
	}
	x, ok1 := parseDecimal([]byte(a))
	y, ok2 := parseDecimal([]byte(b))
	return ok1 && ok2 && x == y
}

// valid reports whether a is of a type that the specification allows, or none.
func (a ID) valid() bool {
	return a == "" || strings.IndexByte(`"-0123456789n`, a[0]) >= 0
}

// decimal is an exact decimal number: 0.digits × 10^exp, the digits without leading or trailing
// zeros; zero has no digits, no exponent and no sign. Equal numbers are equal structs.
type decimal struct {
	neg    bool
	digits string
	exp    int64
}

// parseDecimal reads a raw number. An exponent beyond what an int32 holds is refused, so that
// adding digits to it cannot overflow.
func parseDecimal(raw []byte) (d decimal, ok bool) {
	c := cursor{b: raw}
	if !isNumber(c.peek()) || !c.number() || c.i < len(raw) {
		return d, false
	}
	text := string(raw)
	d.neg = text[0] == '-'
	text = strings.TrimPrefix(text, "-")
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exp, err := strconv.ParseInt(text[i+1:], 10, 32)
		if err != nil && strings.Trim(text[:i], "0.") != "" {
			return d, false
		}
		d.exp, text = exp, text[:i]
	}
	whole, frac, _ := strings.Cut(text, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	d.exp += int64(len(whole) - (len(whole) + len(frac) - len(digits)))
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}, true
	}
	return d, true
}

// integer reads a raw number that is an integer in the int64 range, however it is written.
func integer(raw []byte) (n int64, ok bool) {
	d, ok := parseDecimal(raw)
	if !ok || d.exp > 19 || int64(len(d.digits)) > d.exp && d.digits != "" {
		return 0, false
	}
	u, err := strconv.ParseUint("0"+d.digits+strings.Repeat("0", int(d.exp)-len(d.digits)), 10, 64)
	switch {
	case err != nil, !d.neg && u > math.MaxInt64, u > 1<<63:
		return 0, false
	case d.neg:
		return -int64(u), true
	}
	return int64(u), true
}
