package proxy

import (
	"io"

	"mcptrace/capture/source/feed"
	"mcptrace/capture/wire/http1"
)

// windowSmall is the size of a window's own memory, which does until a peer fills it.
const windowSmall = 16 << 10

// A Buffer has room behind the longest head.
const _ = uint(feed.BufferSize - http1.MaxHead - 1)

// window is what was read from a leg and is not forwarded yet, with room to read more behind it.
type window struct {
	memory []byte // small, or large's
	small  []byte
	large  *feed.Buffer // nil: small is in use
	n      int          // bytes in the window
}

func newWindow() *window {
	small := make([]byte, windowSmall)
	return &window{memory: small, small: small}
}

// read reads once. It returns how many bytes came, which stand at the window's end.
func (w *window) read(r io.Reader) (int, error) {
	n, err := r.Read(w.memory[w.n:])
	w.n += n
	return n, err
}

// bytes returns the window. They are good until drop.
func (w *window) bytes() []byte { return w.memory[:w.n] }

// drop lets go of the first n bytes and makes ready for the next read: with much memory where little was filled, with
// other memory where a Tap holds on to it.
func (w *window) drop(n int) {
	rest, old := w.memory[n:w.n], w.large
	switch {
	case old == nil && w.n == len(w.memory), old != nil && old.Shared():
		w.large = feed.NewBuffer()
		w.memory = w.large.Bytes()
	case old != nil && w.n < windowSmall:
		w.large, w.memory = nil, w.small
	}
	w.n = copy(w.memory, rest)
	if old != nil && old != w.large {
		old.Release()
	}
}

// release gives the memory back.
func (w *window) release() {
	if w.large != nil {
		w.large.Release()
	}
}
