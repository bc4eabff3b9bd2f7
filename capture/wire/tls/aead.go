package tls

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

// opener opens the sealed records of one direction under one key.
type opener interface {
	// open appends the plaintext of a whole record, header included, to dst. It changes nothing but dst's spare room.
	open(dst []byte, seq uint64, record []byte) ([]byte, bool)
	// follow notes that the record has passed, opened or not; called once for each.
	follow(record []byte)
}

// aead is the half of cipher.AEAD that a reader needs.
type aead interface {
	Open(dst, nonce, sealed, additional []byte) ([]byte, error)
	Overhead() int
}

// aeadOpener is the record protection of TLS 1.3 and of the AEAD suites of TLS 1.2.
//
// Source: RFC 8446, section 5.2; RFC 5246, section 6.2.3.3; RFC 5288 (GCM); RFC 6655 (CCM); RFC 7905 (ChaCha20).
type aeadOpener struct {
	aead     aead
	iv       [12]byte
	explicit bool // the nonce is the four bytes of iv and eight sent with the record
	tls13    bool
	nonce    [12]byte // room for the two, so that neither is allocated per record
	header   [13]byte
}

func newAEAD(s *suite, version uint16, key, iv []byte) opener {
	o := &aeadOpener{tls13: version >= version13, aead: newCipher(s, key)}
	o.explicit = !o.tls13 && s.mode != modeChaCha20
	copy(o.iv[:], iv)
	return o
}

func newCipher(s *suite, key []byte) aead {
	if s.mode == modeChaCha20 {
		return must(chacha20poly1305.New(key))
	}
	block := must(aes.NewCipher(key))
	switch s.mode {
	case modeCCM:
		return &ccm{block, 16}
	case modeCCM8:
		return &ccm{block, 8}
	}
	return must(cipher.NewGCM(block))
}

// must is for errors that only a wrong key length in the suite table can cause.
func must[T any](v T, err error) T {
	if err != nil {
		panic("tls: internal error: " + err.Error())
	}
	return v
}

func (o *aeadOpener) follow([]byte) {}

func (o *aeadOpener) open(dst []byte, seq uint64, record []byte) ([]byte, bool) {
	payload := record[headerLen:]
	o.nonce = o.iv
	if o.explicit {
		if len(payload) < 8 {
			return nil, false
		}
		copy(o.nonce[4:], payload)
		payload = payload[8:]
	} else {
		binary.BigEndian.PutUint64(o.nonce[4:], binary.BigEndian.Uint64(o.iv[4:])^seq)
	}
	n := len(payload) - o.aead.Overhead()
	if n < 0 {
		return nil, false
	}
	additional := record[:headerLen]
	if !o.tls13 {
		binary.BigEndian.PutUint64(o.header[:], seq)
		copy(o.header[8:], record[:3])
		binary.BigEndian.PutUint16(o.header[11:], uint16(n))
		additional = o.header[:]
	}
	plain, err := o.aead.Open(dst, o.nonce[:], payload, additional)
	return plain, err == nil
}
