package pcap

import "io"

const (
	windowSize = 256 << 10 // first size of the buffer; it grows to the largest record there is
	maxEmpty   = 100       // reads in a row that bring nothing before the reader counts as broken
)

// window reads r through one buffer and lends pieces of it. It asks r only for what is missing and takes what comes, so
// a record of a pipe can be read as soon as its last byte is there. The buffer grows with the bytes that come, never
// with the length a header claims.
type window struct {
	r      io.Reader
	buf    []byte
	lo, hi int   // unread bytes of buf
	off    int64 // of buf[lo] in r
	err    error // of r; buf[lo:hi] is still good
}

func newWindow(r io.Reader) *window { return &window{r: r, buf: make([]byte, windowSize)} }

// end returns the offset just past the last byte that came.
func (w *window) end() int64 { return w.off + int64(w.hi-w.lo) }

// peek lends the next n bytes without taking them. With fewer there, it returns these and io.EOF (none),
// io.ErrUnexpectedEOF (some) or the error of r.
func (w *window) peek(n int) ([]byte, error) {
	for w.hi-w.lo < n {
		if w.err == nil {
			w.fill(n)
			continue
		}
		rest := w.buf[w.lo:w.hi]
		if w.err == io.EOF && len(rest) > 0 {
			return rest, io.ErrUnexpectedEOF
		}
		return rest, w.err
	}
	return w.buf[w.lo : w.lo+n : w.lo+n], nil
}

// take is peek, and moves on behind the n bytes. They stay good until the next call of any method.
func (w *window) take(n int) ([]byte, error) {
	if w.hi-w.lo < n {
		if p, err := w.peek(n); err != nil {
			return p, err
		}
	}
	p := w.buf[w.lo : w.lo+n : w.lo+n]
	w.lo += n
	w.off += int64(n)
	return p, nil
}

// skip moves on by n bytes without keeping them.
func (w *window) skip(n int64) error {
	for n > 0 {
		m := min(n, windowSize)
		if _, err := w.take(int(m)); err != nil {
			return err
		}
		n -= m
	}
	return nil
}

// fill reads once, having made room for n bytes from lo on as far as the bytes there justify it.
func (w *window) fill(n int) {
	if w.lo+n > len(w.buf) && w.lo > 0 {
		copy(w.buf, w.buf[w.lo:w.hi])
		w.lo, w.hi = 0, w.hi-w.lo
	}
	if w.hi == len(w.buf) {
		w.buf = append(w.buf, make([]byte, len(w.buf))...)
	}
	for range maxEmpty {
		m, err := w.r.Read(w.buf[w.hi:])
		w.hi += max(m, 0)
		if w.err = err; m > 0 || err != nil {
			return
		}
	}
	w.err = io.ErrNoProgress
}
