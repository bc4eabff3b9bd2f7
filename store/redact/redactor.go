package redact

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	mrand "math/rand/v2"
	"unicode/utf8"
)

// Redactor replaces values. It is not safe for concurrent use.
type Redactor struct {
	Recoded int // messages whose bodies were compressed anew so far

	mac   hash.Hash
	leads []int                        // what stands for the first digits 1 to 9 of numbers, less one
	taken map[string][sha256.Size]byte // placeholder of a short value → digest of the value
	vain  int                          // attempts that failed
	made  map[[sha256.Size]byte]uint64 // digest of a short value → which attempt gave its placeholder
}

// New returns a Redactor with a fresh key, which is never given away: what placeholders stand for cannot be found by
// trying values.
func New() *Redactor {
	key := make([]byte, sha256.Size)
	rand.Read(key) // never fails: crypto/rand
	r := &Redactor{mac: hmac.New(sha256.New, key), taken: map[string][sha256.Size]byte{}, made: map[[sha256.Size]byte]uint64{}}
	r.leads = mrand.New(mrand.NewChaCha8([32]byte(r.mac.Sum(nil)))).Perm(9)
	return r
}

// Short values are told apart by trying again where two would get one placeholder; of long ones chance sees to it.
const (
	shortValue  = 12 // replaceable characters
	maxShort    = 1 << 20
	maxAttempts = 4096
	// maxVain bounds the attempts that fail, all together: there are less placeholders of some shapes than values, and
	// traffic must not be able to make us look for more for ever. Beyond it few attempts are made for each value.
	maxVain     = 1 << 20
	fewAttempts = 4
)

// text replaces plain text in place.
func (r *Redactor) text(b []byte) { r.replace(b, false) }

// quoted replaces what stands between the quotation marks of a JSON string, in place. Strings that are equal once their
// escapes are undone stay so.
func (r *Redactor) quoted(b []byte) { r.replace(b, true) }

func (r *Redactor) replace(b []byte, escapes bool) {
	r.mac.Reset()
	n := 0
	var last [utf8.UTFMax]byte
	units(b, escapes, func(u unit) {
		if u.kind != kept {
			n++
		}
		r.mac.Write(last[:utf8.EncodeRune(last[:], u.r)])
	})
	if n == 0 {
		return
	}
	var digest [sha256.Size]byte
	r.mac.Sum(digest[:0])
	if n > shortValue || len(r.made) >= maxShort {
		fill(b, escapes, digest, 0)
		return
	}
	attempt, ok := r.made[digest]
	if !ok {
		attempt = r.free(b, escapes, digest)
		r.made[digest] = attempt
	}
	fill(b, escapes, digest, attempt)
}

// free finds the first attempt whose placeholder stands for no other value, and takes it.
func (r *Redactor) free(b []byte, escapes bool, digest [sha256.Size]byte) uint64 {
	limit := uint64(maxAttempts)
	if r.vain > maxVain {
		limit = fewAttempts
	}
	for attempt := range limit {
		try := append([]byte(nil), b...)
		fill(try, escapes, digest, attempt)
		var plain []byte
		units(try, escapes, func(u unit) { plain = utf8.AppendRune(plain, u.r) })
		if _, used := r.taken[string(plain)]; !used {
			r.taken[string(plain)] = digest
			return attempt
		}
		r.vain++
	}
	return 0
}

// fill writes the placeholder that follows from digest and attempt over b.
func fill(b []byte, escapes bool, digest [sha256.Size]byte, attempt uint64) {
	binary.LittleEndian.PutUint64(digest[:], binary.LittleEndian.Uint64(digest[:])+attempt*0x9e3779b97f4a7c15)
	random := mrand.New(mrand.NewChaCha8(digest))
	units(b, escapes, func(u unit) {
		if u.kind != kept {
			u.write(b, u.kind.pick(random))
		}
	})
}
