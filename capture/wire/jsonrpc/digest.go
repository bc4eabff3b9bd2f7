package jsonrpc

import (
	"hash/maphash"
	"math/bits"
	"slices"
	"sync"
)

// Digest returns a number that is equal for texts with the same canonical form, and differs for others but by chance.
// It is for comparisons within one process: another process returns other numbers. Members called drop are left out of
// an object.
//
// The error is a *SyntaxError.
func Digest(raw []byte, drop ...string) (uint64, error) {
	d := digesters.Get().(*digester)
	defer func() {
		d.cursor, d.drop = cursor{}, nil
		digesters.Put(d)
	}()
	d.cursor, d.drop, d.repeats = cursor{b: raw}, drop, false
	d.space()
	sum, ok := d.value(1)
	switch {
	case !ok:
		return 0, d.err()
	case d.i < len(raw):
		if d.space(); d.i < len(raw) {
			d.fail("more after the value")
			return 0, d.err()
		}
	}
	if !d.repeats {
		return sum, nil
	}
	canonical, err := Canonical(raw, drop...) // rare, and the order of members matters
	if err != nil {
		return 0, err
	}
	return Digest(canonical)
}

var digesters = sync.Pool{New: func() any { return new(digester) }}

var digestSeed = maphash.MakeSeed()

// digester sums up what the cursor passes over. The sum of an object does not depend on the order of its members.
type digester struct {
	cursor
	drop    []string
	scratch []byte
	keys    []uint64 // of the members of the objects under way
	repeats bool     // an object repeats a key
}

func (d *digester) value(depth int) (uint64, bool) {
	switch b := d.peek(); {
	case (b == '{' || b == '[') && depth > MaxDepth:
		return 0, d.fail(tooDeep)
	case b == '{':
		return d.object(depth)
	case b == '[':
		return d.array(depth)
	}
	start := d.i
	if !d.scalar() {
		return 0, false
	}
	switch raw := d.b[start:d.i]; {
	case raw[0] == '"':
		return d.text(raw), true
	case isNumber(raw[0]) && !isPlainInteger(raw):
		d.scratch = appendNumber(d.scratch[:0], raw)
		return maphash.Bytes(digestSeed, d.scratch), true
	default:
		return maphash.Bytes(digestSeed, raw), true
	}
}

// text sums up a valid raw string by what it means.
func (d *digester) text(raw []byte) uint64 {
	return blend(maphash.Bytes(digestSeed, decoded(raw)), '"')
}

func (d *digester) array(depth int) (sum uint64, ok bool) {
	sum = '['
	ok = d.elements(func() bool {
		v, ok := d.value(depth + 1)
		sum = blend(sum, v)
		return ok
	})
	return blend(sum, ']'), ok
}

func (d *digester) object(depth int) (sum uint64, ok bool) {
	base := len(d.keys)
	ok = d.members(func(key []byte) bool {
		k := d.text(key)
		v, ok := d.value(depth + 1)
		if depth > 1 || !slices.Contains(d.drop, string(decoded(key))) {
			d.keys = append(d.keys, k)
			sum += blend(k, v)
		}
		return ok
	})
	slices.Sort(d.keys[base:])
	for i := base + 1; i < len(d.keys); i++ {
		d.repeats = d.repeats || d.keys[i] == d.keys[i-1]
	}
	d.keys = d.keys[:base]
	return blend(sum, '}'), ok
}

// blend folds the product of two numbers, made odd by constants.
func blend(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x9e3779b97f4a7c15, b^0xe7037ed1a0b428db)
	return hi ^ lo
}
