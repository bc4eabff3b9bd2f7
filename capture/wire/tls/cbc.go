package tls

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"encoding/binary"
	"hash"
)

// cbcOpener is the record protection of the CBC suites, TLS 1.0 to 1.2. Timing is of no concern to a reader of
// captures.
//
// Source: RFC 5246, section 6.2.3.2; RFC 7366 (encrypt-then-MAC); RFC 2246 (the last block is the next IV).
type cbcOpener struct {
	block  cipher.Block
	mac    hash.Hash
	etm    bool
	chain  []byte // TLS 1.0: the last block of the record before; nil where the IV is sent with the record
	header [13]byte
	sum    []byte
}

func newCBC(s *suite, version uint16, etm bool, mac, key, iv []byte) opener {
	o := &cbcOpener{block: must(aes.NewCipher(key)), mac: hmac.New(s.mac, mac), etm: etm}
	if version == version10 {
		o.chain = append([]byte{}, iv...)
	}
	return o
}

func (o *cbcOpener) follow(record []byte) {
	body := record[headerLen:]
	if o.chain == nil || len(body) < len(o.chain) {
		return
	}
	if o.etm && len(body) >= len(o.chain)+o.mac.Size() {
		body = body[:len(body)-o.mac.Size()]
	}
	copy(o.chain, body[len(body)-len(o.chain):])
}

func (o *cbcOpener) open(dst []byte, seq uint64, record []byte) ([]byte, bool) {
	body, size := record[headerLen:], o.mac.Size()
	if o.etm {
		n := len(body) - size
		if n < 0 || !o.fits(seq, record, body[:n], body[n:]) {
			return nil, false
		}
		body = body[:n]
	}
	iv := o.chain
	if iv == nil {
		if len(body) < aes.BlockSize {
			return nil, false
		}
		iv, body = body[:aes.BlockSize], body[aes.BlockSize:]
	}
	if len(body) == 0 || len(body)%aes.BlockSize != 0 {
		return nil, false
	}
	start := len(dst)
	dst = append(dst, body...)
	plain := dst[start:]
	cipher.NewCBCDecrypter(o.block, iv).CryptBlocks(plain, plain)
	n := unpad(plain)
	if !o.etm {
		n -= size
	}
	if n < 0 {
		return nil, false
	}
	if !o.etm && !o.fits(seq, record, plain[:n], plain[n:n+size]) {
		return nil, false
	}
	return dst[:start+n], true
}

// unpad returns the length of p without its padding, -1 if that is malformed.
func unpad(p []byte) int {
	last := p[len(p)-1]
	n := len(p) - 1 - int(last)
	if n < 0 {
		return -1
	}
	for _, c := range p[n:] {
		if c != last {
			return -1
		}
	}
	return n
}

// fits reports whether mac authenticates content as record number seq.
func (o *cbcOpener) fits(seq uint64, record, content, mac []byte) bool {
	binary.BigEndian.PutUint64(o.header[:], seq)
	copy(o.header[8:], record[:3])
	binary.BigEndian.PutUint16(o.header[11:], uint16(len(content)))
	o.mac.Reset()
	o.mac.Write(o.header[:])
	o.mac.Write(content)
	o.sum = o.mac.Sum(o.sum[:0])
	return hmac.Equal(o.sum, mac)
}
