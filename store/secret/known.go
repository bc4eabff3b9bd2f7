package secret

import "encoding/binary"

// Limits of what is known.
const (
	minKnown   = 8       // bytes: shorter values stand for nothing in particular
	MaxKnown   = 8 << 10 // bytes of one value that is looked for
	maxValues  = 1 << 16
	maxBytes   = 32 << 20 // of all values
	maxPerSpot = 64       // values that end alike
)

// finder looks for known values in text. Its values are at least minKnown bytes long, so every occurrence holds, at one
// of step neighbouring places, a window of four bytes out of its last eight: only each step-th place need be looked at.
type finder struct {
	values  map[string]string // placeholder by value
	spots   map[uint32][]spot
	bits    *[bitCount / 64]uint64 // windows that may be in spots, by hash
	longest int
	bytes   int
	forgone int
}

// spot is where in a known value a window stands.
type spot struct {
	value string
	off   int
}

const (
	step     = minKnown - 4 + 1
	bitCount = 1 << 20
)

// add makes value known, if it is telling enough to be looked for.
func (f *finder) add(value, placeholder string) {
	if !telling(value) || f.values[value] != "" {
		return
	}
	core := len(value) - minKnown
	if f.values == nil {
		f.values, f.spots = map[string]string{}, map[uint32][]spot{}
		f.bits = new([bitCount / 64]uint64)
	}
	if len(f.values) >= maxValues || f.bytes+len(value) > maxBytes || f.crowded(value[core:]) {
		f.forgone++
		return
	}
	f.values[value] = placeholder
	f.longest = max(f.longest, len(value))
	f.bytes += len(value)
	for i := range step {
		w := window(value[core+i:])
		f.spots[w] = append(f.spots[w], spot{value, core + i})
		h := hashOf(w)
		f.bits[h/64] |= 1 << (h % 64)
	}
}

func (f *finder) crowded(core string) bool {
	for i := range step {
		if len(f.spots[window(core[i:])]) >= maxPerSpot {
			return true
		}
	}
	return false
}

func window[T string | []byte](b T) uint32 {
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

func hashOf(w uint32) uint32 { return w * 0x9e3779b1 >> 12 }

// find calls hit for each known value that stands in t as a whole word and begins before n, in order. prev is the byte
// before t, 0 if there is none.
func (f *finder) find(t []byte, n int, prev byte, hit func(start int, placeholder string)) {
	if len(f.values) == 0 {
		return
	}
	end := min(len(t), n+f.longest)
	from := 0
	bits := f.bits
	for i := 0; i+4 <= end; i += step {
		w := binary.LittleEndian.Uint32(t[i : i+4 : len(t)])
		if h := hashOf(w); bits[h/64]>>(h%64)&1 == 0 {
			continue
		}
		if start, v := f.match(t, i, from, n, prev); v != "" {
			hit(start, f.values[v])
			from = start + len(v)
			i = from - step
		}
	}
}

// match returns the longest known value one of whose windows stands at i, and where it begins.
func (f *finder) match(t []byte, i, from, n int, prev byte) (start int, value string) {
	for _, s := range f.spots[binary.LittleEndian.Uint32(t[i:])] {
		a := i - s.off
		b := a + len(s.value)
		if a < from || a >= n || b > len(t) || len(s.value) <= len(value) || string(t[a:b]) != s.value {
			continue
		}
		if a > 0 && isWord(t[a-1]) || a == 0 && isWord(prev) || b < len(t) && isWord(t[b]) {
			continue
		}
		start, value = a, s.value
	}
	return start, value
}

func isWord(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
