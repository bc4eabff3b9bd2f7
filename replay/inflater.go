package replay

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"
	"iter"
)

// inflater undoes gzip, or zlib where it is let, as it comes, and says how far it has got: clients differ in what they
// make of a compressed stream that has no end.
type inflater struct {
	zlib   bool // zlib too, told apart by the first bytes
	state  inflaterState
	in     []byte
	ended  bool
	resume func() ([]byte, bool)
	stop   func()
}

type inflaterState uint8

const (
	inflating inflaterState = iota
	inflated                // through its end, which was right
	notGzip                 // it does not begin as it should
	corrupt                 // the data or its checksum is wrong
)

// write calls emit with what p expands to; out is lent for the call.
func (z *inflater) write(p []byte, emit func(out []byte)) {
	if z.state != inflating || len(p) == 0 {
		return
	}
	if z.resume == nil {
		z.resume, z.stop = iter.Pull(z.run)
	}
	z.in = p
	for z.state == inflating {
		out, ok := z.resume()
		if !ok || out == nil {
			break
		}
		emit(out)
	}
	z.in = nil
}

func (z *inflater) close() {
	if z.stop != nil {
		z.ended = true
		z.stop()
		z.resume, z.stop = nil, nil
	}
}

// run is the body of the coroutine: it yields output, and nil where it needs input.
func (z *inflater) run(yield func([]byte) bool) {
	r := bufio.NewReaderSize(readerFunc(func(p []byte) (int, error) {
		for len(z.in) == 0 {
			if z.ended || !yield(nil) {
				z.ended = true
				return 0, io.ErrClosedPipe
			}
		}
		n := copy(p, z.in)
		z.in = z.in[n:]
		return n, nil
	}), 4<<10)
	sum, trailer, state := z.open(r)
	if state != inflating {
		z.set(state)
		return
	}
	data := flate.NewReader(r)
	buf := make([]byte, readSize)
	var n uint32
	for {
		k, err := data.Read(buf)
		sum.Write(buf[:k])
		n += uint32(k)
		if k > 0 && !yield(buf[:k]) {
			return
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			z.set(corrupt)
			return
		}
	}
	got := make([]byte, trailer)
	if _, err := io.ReadFull(r, got); err != nil {
		return
	}
	want := sum.Sum(nil)
	if trailer == 8 {
		want = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, binary.BigEndian.Uint32(want)), n)
	}
	if !bytes.Equal(got, want) {
		z.set(corrupt)
		return
	}
	z.set(inflated)
}

// set notes how the stream ended, unless it was only cut off.
func (z *inflater) set(s inflaterState) {
	if !z.ended {
		z.state = s
	}
}

// open reads the header. Sources: RFC 1952 section 2.3, RFC 1950 section 2.2.
func (z *inflater) open(r *bufio.Reader) (sum hash.Hash, trailer int, s inflaterState) {
	h, err := r.Peek(2)
	if err != nil {
		return nil, 0, notGzip
	}
	if z.zlib && h[0]&0x0f == 8 && (uint(h[0])<<8|uint(h[1]))%31 == 0 && h[1]&0x20 == 0 {
		r.Discard(2)
		return adler32.New(), 4, inflating
	}
	var fixed [10]byte
	if h[0] != 0x1f || h[1] != 0x8b {
		return nil, 0, notGzip
	}
	if _, err := io.ReadFull(r, fixed[:]); err != nil || fixed[2] != 8 {
		return nil, 0, notGzip
	}
	if !skipGzipFields(r, fixed[3]) {
		return nil, 0, notGzip
	}
	return crc32.NewIEEE(), 8, inflating
}

func skipGzipFields(r *bufio.Reader, flags byte) bool {
	const hcrc, extra, name, comment = 1 << 1, 1 << 2, 1 << 3, 1 << 4
	if flags&extra != 0 {
		var n [2]byte
		if _, err := io.ReadFull(r, n[:]); err != nil {
			return false
		}
		if _, err := r.Discard(int(binary.LittleEndian.Uint16(n[:]))); err != nil {
			return false
		}
	}
	for _, flag := range []byte{name, comment} {
		for more := flags&flag != 0; more; {
			c, err := r.ReadByte()
			if err != nil {
				return false
			}
			more = c != 0
		}
	}
	if flags&hcrc != 0 {
		_, err := r.Discard(2)
		return err == nil
	}
	return true
}

// readerFunc makes a Reader of a function.
type readerFunc func(p []byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }
