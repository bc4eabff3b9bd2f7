package secret

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
)

// Masker masks the messages of one recording. It is not safe for concurrent use.
type Masker struct {
	mac   hash.Hash
	known finder
	kinds map[string]namedKind // of fields that were met
}

// New returns a Masker with a fresh salt.
func New() *Masker {
	salt := make([]byte, sha256.Size)
	rand.Read(salt) // never fails: crypto/rand
	return &Masker{mac: hmac.New(sha256.New, salt), kinds: map[string]namedKind{}}
}

// Knows reports whether there is any value to look for.
func (m *Masker) Knows() bool { return len(m.known.values) > 0 }

// Find calls hit, in order, for each known value that stands in t as a whole word and begins before n. prev is the byte
// before t, 0 if there is none; where t is cut off less than MaxKnown bytes behind n, a value may be missed. hit may
// write the placeholder over the value.
func (m *Masker) Find(t []byte, n int, prev byte, hit func(start int, placeholder string)) {
	m.known.find(t, n, prev, hit)
}

// Text masks the known values in t, in place.
func (m *Masker) Text(t []byte) {
	m.known.find(t, len(t), 0, func(start int, placeholder string) { copy(t[start:], placeholder) })
}

// Forgone returns how many values were masked where they were met but are not looked for elsewhere, because too many are
// known already.
func (m *Masker) Forgone() int { return m.known.forgone }

// replace masks the secret v in place and, from then on, knows it.
func (m *Masker) replace(v []byte) {
	if len(v) == 0 {
		return
	}
	if p, ok := m.known.values[string(v)]; ok {
		copy(v, p)
		return
	}
	old := string(v)
	m.placeholder(v)
	m.known.add(old, string(v))
}

const alphabet = "abcdefghijklmnopqrstuvwxyz0123456789"

// placeholder overwrites v with what stands for it: a keyed digest of v, stretched to its length.
func (m *Masker) placeholder(v []byte) {
	m.mac.Reset()
	m.mac.Write(v)
	var seed [sha256.Size + 8]byte
	m.mac.Sum(seed[:0])
	var sum [sha256.Size]byte
	for i := range v {
		if i%len(sum) == 0 {
			binary.BigEndian.PutUint64(seed[sha256.Size:], uint64(i)+1)
			m.mac.Reset()
			m.mac.Write(seed[:])
			m.mac.Sum(sum[:0])
		}
		v[i] = alphabet[int(sum[i%len(sum)])%len(alphabet)]
	}
}
