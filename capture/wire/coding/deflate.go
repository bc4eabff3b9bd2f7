package coding

import (
	"bufio"
	"compress/flate"
	"encoding/binary"
	"errors"
	"hash"
	"hash/adler32"
	"hash/crc32"
	"io"
)

var (
	errNotGzip    = errors.New("coding: not gzip")
	errChecksum   = errors.New("coding: wrong checksum")
	errDictionary = errors.New("coding: zlib stream needs a dictionary")
)

// The readers here take the place of compress/gzip and compress/zlib, which withhold the last bytes
// of a stream until its trailer, and of a gzip member until the next one's header, has been read.

// gzipReader reads gzip members one after another. Source: RFC 1952.
type gzipReader struct {
	r       *bufio.Reader
	inflate io.Reader // nil before the first member
	inside  bool      // a member
	crc     hash.Hash32
	size    uint32
}

func newGzip(r *bufio.Reader) (io.Reader, func(), error) {
	return &gzipReader{r: r, crc: crc32.NewIEEE()}, nil, nil
}

func (z *gzipReader) Read(p []byte) (int, error) {
	for {
		if !z.inside {
			if err := z.open(); err != nil {
				return 0, err
			}
		}
		n, err := z.inflate.Read(p)
		z.crc.Write(p[:n])
		z.size += uint32(n)
		if n > 0 {
			return n, nil // an error comes again
		}
		if err == io.EOF {
			err = z.close()
		}
		if err != nil {
			return 0, err
		}
	}
}

// open reads a member's header. What follows a member and is none is ignored, as other readers do.
func (z *gzipReader) open() error {
	var h [10]byte
	if _, err := io.ReadFull(z.r, h[:]); err != nil {
		return err
	}
	if h[0] != 0x1f || h[1] != 0x8b || h[2] != 8 {
		if z.inflate != nil {
			return io.EOF
		}
		return errNotGzip
	}
	if err := z.skipOptional(h[3]); err != nil {
		return unexpected(err)
	}
	if z.inflate == nil {
		z.inflate = flate.NewReader(z.r)
	} else if err := z.inflate.(flate.Resetter).Reset(z.r, nil); err != nil {
		return err
	}
	z.inside = true
	z.crc.Reset()
	z.size = 0
	return nil
}

// skipOptional skips the header fields that flags announces.
func (z *gzipReader) skipOptional(flags byte) error {
	const hcrc, extra, name, comment = 1 << 1, 1 << 2, 1 << 3, 1 << 4
	if flags&extra != 0 {
		var n [2]byte
		if _, err := io.ReadFull(z.r, n[:]); err != nil {
			return err
		}
		if _, err := z.r.Discard(int(binary.LittleEndian.Uint16(n[:]))); err != nil {
			return err
		}
	}
	for _, flag := range []byte{name, comment} {
		for more := flags&flag != 0; more; {
			c, err := z.r.ReadByte()
			if err != nil {
				return err
			}
			more = c != 0
		}
	}
	if flags&hcrc != 0 {
		_, err := z.r.Discard(2)
		return err
	}
	return nil
}

// close reads a member's trailer.
func (z *gzipReader) close() error {
	var t [8]byte
	if _, err := io.ReadFull(z.r, t[:]); err != nil {
		return unexpected(err)
	}
	if binary.LittleEndian.Uint32(t[:]) != z.crc.Sum32() || binary.LittleEndian.Uint32(t[4:]) != z.size {
		return errChecksum
	}
	z.inside = false
	return nil
}

// zlibReader reads a zlib stream past its header. Source: RFC 1950.
type zlibReader struct {
	r       *bufio.Reader
	inflate io.Reader
	sum     hash.Hash32
}

// newDeflate reads a zlib stream, which the name means, or the raw deflate stream that some servers
// send instead.
func newDeflate(r *bufio.Reader) (io.Reader, func(), error) {
	h, err := r.Peek(2)
	if err != nil {
		return nil, nil, err
	}
	if h[0]&0x0f != 8 || h[0]>>4 > 7 || (uint(h[0])<<8|uint(h[1]))%31 != 0 {
		return flate.NewReader(r), nil, nil
	}
	if h[1]&0x20 != 0 {
		return nil, nil, errDictionary
	}
	r.Discard(2)
	return &zlibReader{r, flate.NewReader(r), adler32.New()}, nil, nil
}

func (z *zlibReader) Read(p []byte) (int, error) {
	n, err := z.inflate.Read(p)
	z.sum.Write(p[:n])
	if n > 0 {
		return n, nil // an error comes again
	}
	if err != io.EOF {
		return 0, err
	}
	var t [4]byte
	if _, err := io.ReadFull(z.r, t[:]); err != nil {
		return 0, unexpected(err)
	}
	if binary.BigEndian.Uint32(t[:]) != z.sum.Sum32() {
		return 0, errChecksum
	}
	return 0, io.EOF
}

// unexpected turns an end within a stream into io.ErrUnexpectedEOF.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
