package capture

import (
	"fmt"
	"sync"
)

// spillAt is the size from which on a Blob keeps its bytes in a temporary file. Most messages are a few kilobytes; the
// few large ones must not decide how much memory a capture takes.
const spillAt = 1 << 20

// Blob is a growing run of bytes: small ones in memory, large ones in a temporary file that has no name.
// The zero Blob is empty and ready to use. It is not safe for concurrent use.
type Blob struct {
	mem   []byte
	from  *[]byte  // the pool's, where mem came from it
	file  *spilled // what does not stand in memory
	flen  int64    // bytes in file; mem holds what comes after them
	err   error
	purse *purse // what the memory is counted in; nil: it is not
}

// BlobOf returns a Blob that holds p. It keeps p.
func BlobOf(p []byte) Blob { return Blob{mem: p} }

// Len returns the number of bytes.
func (b *Blob) Len() int64 { return b.flen + int64(len(b.mem)) }

// directAt is the size from which on what is appended to a large Blob goes to its file without being gathered first.
const directAt = 64 << 10

// Append copies p to the end.
func (b *Blob) Append(p []byte) {
	if len(p) >= directAt && b.Len()+int64(len(p)) >= spillAt && b.spill() {
		p = b.write(p)
	}
	if n := len(b.mem) + len(p); n > cap(b.mem) && !b.purse.allows(bufferSize(n)-cap(b.mem)) && b.spill() && len(p) > cap(b.mem) {
		p = b.write(p)
	}
	if n := len(b.mem) + len(p); n > cap(b.mem) {
		b.grow(n)
	}
	b.mem = append(b.mem, p...)
	if len(b.mem) >= spillAt && b.spill() && b.purse.tight() {
		b.hold(nil, nil)
	}
}

// grow moves the bytes in memory to a buffer of at least n bytes.
func (b *Blob) grow(n int) {
	if n > spillAt {
		n = max(n, 2*cap(b.mem)) // there is no file: everything stays in memory
	}
	mem, from := buffers.get(n)
	b.hold(append(mem, b.mem...), from)
}

// shrink moves the bytes to memory of just their size: they will be kept for a while.
func (b *Blob) shrink() {
	if b.from == nil || cap(b.mem) < 2*len(b.mem) {
		return
	}
	b.hold(append(make([]byte, 0, len(b.mem)), b.mem...), nil)
}

// hold puts mem, which holds the same bytes, in the place of the buffer.
func (b *Blob) hold(mem []byte, from *[]byte) {
	b.purse.add(cap(mem) - cap(b.mem))
	buffers.put(b.from)
	b.mem, b.from = mem, from
}

// leave takes the Blob out of the count.
func (b *Blob) leave() {
	b.purse.add(-cap(b.mem))
	b.purse = nil
}

var zeros [directAt]byte

// AppendZeros appends n zero bytes, the stand-in for bytes that were not captured.
func (b *Blob) AppendZeros(n int64) {
	for n > 0 {
		k := min(n, int64(len(zeros)))
		b.Append(zeros[:k])
		n -= k
	}
}

// spill moves the bytes in memory to the file and reports whether it could.
func (b *Blob) spill() bool {
	if b.err != nil {
		return false
	}
	if b.file == nil {
		b.file = newSpilled()
	}
	rest := b.write(b.mem)
	b.mem = b.mem[:copy(b.mem, rest)]
	return b.err == nil
}

// write appends p to the file, and returns what could not be written.
func (b *Blob) write(p []byte) []byte {
	n, err := b.file.write(p)
	b.flen += int64(n)
	b.err = err
	return p[n:]
}

// Err tells why bytes could not be moved to the temporary file. They then stay in memory and remain readable.
func (b *Blob) Err() error { return b.err }

// Range calls f with the bytes [start, end) in order, in pieces. The pieces are lent for the call.
// It stops at the first error of f or of reading, and returns it.
func (b *Blob) Range(start, end int64, f func(p []byte) error) error {
	if start < 0 || end > b.Len() || start > end {
		return fmt.Errorf("bytes %d to %d of %d: out of range", start, end, b.Len())
	}
	if start < b.flen {
		buf := make([]byte, min(64<<10, b.flen-start, end-start))
		for start < end && start < b.flen {
			n := min(int64(len(buf)), end-start, b.flen-start)
			if err := b.file.read(buf[:n], start); err != nil {
				return fmt.Errorf("read back spilled bytes: %w", err)
			}
			if err := f(buf[:n]); err != nil {
				return err
			}
			start += n
		}
	}
	if start < end {
		return f(b.mem[start-b.flen : end-b.flen])
	}
	return nil
}

// Bytes returns a copy of the bytes [start, end), or nil where they cannot be read.
func (b *Blob) Bytes(start, end int64) []byte {
	out := make([]byte, 0, max(0, end-start))
	if b.Range(start, end, func(p []byte) error { out = append(out, p...); return nil }) != nil {
		return nil
	}
	return out
}

// View returns the bytes [start, end) without copying where they are in memory. The slice is good until the next Append
// or Release; ok is false where some are not in memory.
func (b *Blob) View(start, end int64) (p []byte, ok bool) {
	if start < b.flen || end > b.Len() || start > end {
		return nil, false
	}
	return b.mem[start-b.flen : end-b.flen], true
}

// At returns byte i, or 0 outside the Blob.
func (b *Blob) At(i int64) byte {
	if i < 0 || i >= b.Len() {
		return 0
	}
	if i >= b.flen {
		return b.mem[i-b.flen]
	}
	p := b.Bytes(i, i+1)
	if len(p) == 0 {
		return 0
	}
	return p[0]
}

// Prefix returns the first n bytes. It shares memory and file with b and must not be released or appended to.
func (b *Blob) Prefix(n int64) Blob {
	if n <= b.flen {
		return Blob{file: b.file, flen: n}
	}
	k := n - b.flen
	return Blob{file: b.file, flen: b.flen, mem: b.mem[:k:k]}
}

// Release gives the memory and the temporary file back. The Blob is empty afterwards.
func (b *Blob) Release() {
	if b.file != nil {
		b.file.release()
	}
	b.hold(nil, nil)
	*b = Blob{purse: b.purse}
}

// bufferPool keeps buffers of a few sizes: messages come and go by the thousand.
type bufferPool struct{ classes [11]sync.Pool }

var buffers bufferPool

// size returns the capacity of class i: 1 KiB, 2 KiB, … 1 MiB.
func (*bufferPool) size(i int) int { return 1 << (10 + i) }

// bufferSize returns how large a buffer for n bytes is.
func bufferSize(n int) int {
	for i := range buffers.classes {
		if n <= buffers.size(i) {
			return buffers.size(i)
		}
	}
	return n
}

// get returns an empty buffer for at least n bytes, and what to put back for it: nil where it is too large to be kept.
func (p *bufferPool) get(n int) (buf []byte, from *[]byte) {
	for i := range p.classes {
		if n <= p.size(i) {
			if b, ok := p.classes[i].Get().(*[]byte); ok {
				return (*b)[:0], b
			}
			b := make([]byte, 0, p.size(i))
			return b, &b
		}
	}
	return make([]byte, 0, n), nil
}

// put takes a buffer back that nobody uses any more.
func (p *bufferPool) put(from *[]byte) {
	if from == nil {
		return
	}
	for i := range p.classes {
		if cap(*from) == p.size(i) {
			p.classes[i].Put(from)
			return
		}
	}
}
