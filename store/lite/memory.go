package lite

import (
	"unsafe"

	"modernc.org/libc"
	sqlite3 "modernc.org/sqlite/lib"
)

// piece is the least that is taken from SQLite's memory at a time.
const piece = 160 << 10

// memory lends bytes that SQLite may read, until all of them are given back together.
type memory struct {
	tls   *libc.TLS
	first uintptr
	used  int
	more  []uintptr // what did not fit in the first
}

// take returns n bytes.
func (m *memory) take(n int) uintptr {
	if m.first == 0 {
		m.first = m.alloc(piece)
	}
	n = (n + 7) &^ 7
	if m.used+n <= piece {
		p := m.first + uintptr(m.used)
		m.used += n
		return p
	}
	p := m.alloc(n)
	m.more = append(m.more, p)
	return p
}

func (m *memory) alloc(n int) uintptr {
	p := sqlite3.Xsqlite3_malloc64(m.tls, uint64(n))
	if p == 0 {
		panic("lite: out of memory")
	}
	return p
}

// copy returns a copy of b.
func (m *memory) copy(b []byte) uintptr {
	p := m.take(len(b) + 1)
	copy(view(p, len(b)), b)
	return p
}

// text returns a copy of s with a zero byte behind it.
func (m *memory) text(s string) uintptr {
	p := m.take(len(s) + 1)
	b := view(p, len(s)+1)
	copy(b, s)
	b[len(s)] = 0
	return p
}

// reset takes all back that was lent.
func (m *memory) reset() {
	m.used = 0
	for _, p := range m.more {
		sqlite3.Xsqlite3_free(m.tls, p)
	}
	m.more = m.more[:0]
}

func (m *memory) free() {
	m.reset()
	sqlite3.Xsqlite3_free(m.tls, m.first)
	m.first = 0
}

// view returns the n bytes at p.
func view(p uintptr, n int) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(at(p)), n)
}

// at makes a pointer of an address in SQLite's memory.
func at(p uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&p)) }
