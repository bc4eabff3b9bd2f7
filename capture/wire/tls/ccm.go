package tls

import (
	"crypto/cipher"
	"crypto/subtle"
	"encoding/binary"
	"errors"
)

var errTag = errors.New("tag does not fit")

// ccm opens what AES-CCM sealed with the 12-byte nonces of TLS.
//
// Source: RFC 3610; RFC 6655, section 3.
type ccm struct {
	block cipher.Block
	tag   int
}

func (c *ccm) Overhead() int { return c.tag }

func (c *ccm) Open(dst, nonce, sealed, additional []byte) ([]byte, error) {
	if len(sealed) < c.tag {
		return nil, errTag
	}
	body, tag := sealed[:len(sealed)-c.tag], sealed[len(sealed)-c.tag:]
	start := len(dst)
	dst = append(dst, body...)
	mask, stream := c.counter(nonce)
	stream.XORKeyStream(dst[start:], dst[start:])
	want := c.authenticate(nonce, dst[start:], additional)
	subtle.XORBytes(want[:], want[:], mask[:])
	if subtle.ConstantTimeCompare(want[:c.tag], tag) != 1 {
		return nil, errTag
	}
	return dst, nil
}

// counter returns the mask of the tag (block 0) and the key stream of the content (block 1 on).
func (c *ccm) counter(nonce []byte) (mask [16]byte, stream cipher.Stream) {
	block := [16]byte{2}
	copy(block[1:], nonce)
	c.block.Encrypt(mask[:], block[:])
	block[15] = 1
	return mask, cipher.NewCTR(c.block, block[:])
}

// authenticate is the CBC-MAC over the parameters, the additional data and the content.
func (c *ccm) authenticate(nonce, plain, additional []byte) (sum [16]byte) {
	sum[0] = byte(1<<6 | (c.tag-2)/2<<3 | 2) // additional data present; tag length; three length bytes
	copy(sum[1:13], nonce)
	sum[13], sum[14], sum[15] = byte(len(plain)>>16), byte(len(plain)>>8), byte(len(plain))
	c.block.Encrypt(sum[:], sum[:])
	absorb := func(p []byte) {
		for len(p) > 0 {
			p = p[subtle.XORBytes(sum[:], sum[:], p[:min(16, len(p))]):]
			c.block.Encrypt(sum[:], sum[:])
		}
	}
	absorb(append(binary.BigEndian.AppendUint16(make([]byte, 0, 32), uint16(len(additional))), additional...))
	absorb(plain)
	return sum
}
