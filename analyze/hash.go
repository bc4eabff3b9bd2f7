package analyze

import (
	"crypto/sha256"
	"hash/maphash"
	"slices"
	"strings"
	"unique"

	"mcptrace/capture"
)

// intern keeps one copy of strings that come again and again.
func intern(s string) string { return unique.Make(s).Value() }

func internAll(fields ...*string) {
	for _, s := range fields {
		*s = intern(*s)
	}
}

// sharing hands out one copy of equal values: what exchanges say of themselves is mostly alike.
type sharing[T comparable] struct{ known map[T]*T }

// sharingLimit bounds the values that are remembered; where each is different, none is worth it.
const sharingLimit = 1 << 12

// share returns a pointer to v or to an equal value, which must not be changed. It calls keep for a value that it will
// hold on to.
func (s *sharing[T]) share(v T, keep func(*T)) *T {
	if p := s.known[v]; p != nil {
		return p
	}
	if s.known == nil || len(s.known) >= sharingLimit {
		s.known = map[T]*T{}
	}
	p := new(T)
	*p = v
	keep(p)
	s.known[*p] = p
	return p
}

func hash8(b []byte) (h [8]byte) {
	sum := sha256.Sum256(b)
	copy(h[:], sum[:])
	return h
}

var seed = maphash.MakeSeed()

// hopHeaders belong to a connection or change with every attempt of an HTTP library, not with the request.
var hopHeaders = []string{"connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "content-length"}

// identity hashes the request as a whole: two requests with the same identity are byte-identical but for hop-by-hop headers.
func identity(ex *capture.Exchange, rd *capture.Reading) (h [8]byte) {
	q := ex.Request.Head
	if q == nil || len(rd.Calls) == 0 {
		return h
	}
	var m maphash.Hash
	m.SetSeed(seed)
	m.WriteString(q.Method)
	m.WriteString(q.Target)
	for i := range q.Fields {
		f := &q.Fields[i]
		if slices.ContainsFunc(hopHeaders, func(n string) bool { return len(n) == len(f.Name) && strings.EqualFold(n, f.Name) }) {
			continue
		}
		m.WriteString(strings.ToLower(f.Name))
		m.WriteString(f.Value)
	}
	ex.Request.Pieces(func(p *capture.Piece) bool { m.Write(p.Data); return true })
	sum := m.Sum64()
	for i := range h {
		h[i] = byte(sum >> (8 * i))
	}
	return h
}
