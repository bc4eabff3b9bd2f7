package tls

import (
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/md5"
	"crypto/sha1"
	"crypto/subtle"
	"hash"
)

// expandLabel is HKDF-Expand-Label with an empty context.
//
// Source: RFC 8446, section 7.1.
func expandLabel(h func() hash.Hash, secret []byte, label string, n int) []byte {
	label = "tls13 " + label
	info := string([]byte{byte(n >> 8), byte(n), byte(len(label))}) + label + "\x00"
	out, err := hkdf.Expand(h, secret, info, n)
	if err != nil {
		panic("tls: internal error: " + err.Error()) // only for n beyond 255 hashes
	}
	return out
}

// nextSecret is the traffic secret after a key update.
//
// Source: RFC 8446, section 7.2.
func nextSecret(h func() hash.Hash, secret []byte) []byte {
	return expandLabel(h, secret, "traffic upd", h().Size())
}

// prf returns n bytes of the pseudorandom function of TLS 1.0 to 1.2.
//
// Source: RFC 5246, section 5; RFC 2246, section 5 (halves of the secret, MD5 and SHA-1).
func prf(version uint16, h func() hash.Hash, secret []byte, label string, seed []byte, n int) []byte {
	seed = append([]byte(label), seed...)
	out := make([]byte, n)
	if version >= version12 {
		pHash(out, h, secret, seed)
		return out
	}
	half := (len(secret) + 1) / 2
	pHash(out, md5.New, secret[:half], seed)
	other := make([]byte, n)
	pHash(other, sha1.New, secret[len(secret)-half:], seed)
	subtle.XORBytes(out, out, other)
	return out
}

// pHash fills out with P_hash(secret, seed).
func pHash(out []byte, h func() hash.Hash, secret, seed []byte) {
	m := hmac.New(h, secret)
	sum := func(parts ...[]byte) []byte {
		m.Reset()
		for _, p := range parts {
			m.Write(p)
		}
		return m.Sum(nil)
	}
	for a := sum(seed); len(out) > 0; a = sum(a) {
		out = out[copy(out, sum(a, seed)):]
	}
}

// masterFromPremaster is the master secret of a connection without the extended master secret.
//
// Source: RFC 5246, section 8.1.
func masterFromPremaster(version uint16, s *suite, premaster, clientRandom, serverRandom []byte) []byte {
	seed := append(append([]byte{}, clientRandom...), serverRandom...)
	return prf(version, s.hash, premaster, "master secret", seed, 48)
}

// openerFromSecret makes the opener of a TLS 1.3 traffic secret.
//
// Source: RFC 8446, section 7.3.
func openerFromSecret(s *suite, secret []byte) opener {
	if len(secret) != s.hash().Size() {
		return nil
	}
	key := expandLabel(s.hash, secret, "key", s.keyLen)
	return newAEAD(s, version13, key, expandLabel(s.hash, secret, "iv", 12))
}

// openerFromMaster makes the opener of one direction of a connection before TLS 1.3.
//
// Source: RFC 5246, section 6.3.
func openerFromMaster(s *suite, version uint16, etm bool, master, clientRandom, serverRandom []byte, fromClient bool) opener {
	seed := append(append([]byte{}, serverRandom...), clientRandom...)
	macLen, ivLen := 0, 4
	switch {
	case s.mode == modeCBC:
		macLen, ivLen = s.mac().Size(), 16
	case s.mode == modeChaCha20:
		ivLen = 12
	}
	block := prf(version, s.hash, master, "key expansion", seed, 2*(macLen+s.keyLen+ivLen))
	take := func(n int) []byte {
		client, server := block[:n], block[n:2*n]
		block = block[2*n:]
		if fromClient {
			return client
		}
		return server
	}
	mac, key, iv := take(macLen), take(s.keyLen), take(ivLen)
	if s.mode == modeCBC {
		return newCBC(s, version, etm, mac, key, iv)
	}
	return newAEAD(s, version, key, iv)
}
