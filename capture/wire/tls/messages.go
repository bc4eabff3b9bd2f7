package tls

import "encoding/binary"

// maxMessage is the size of the longest handshake message that is looked into; longer ones are passed over.
const maxMessage = 1 << 16

// Handshake message types. Source: RFC 8446, section 4; RFC 5246, section 7.4.
const (
	msgClientHello         = 1
	msgServerHello         = 2
	msgNewSessionTicket    = 4
	msgEndOfEarlyData      = 5
	msgEncryptedExtensions = 8
	msgClientKeyExchange   = 16
	msgFinished            = 20
	msgKeyUpdate           = 24
)

// messages cuts the handshake stream of one direction into messages. Only those of a type that matters are kept
// until they are whole.
type messages struct {
	buf  []byte // the message so far, its four bytes of header included
	skip int    // bytes of an uninteresting message still to come
	lost bool   // a hole took the place in the stream; nothing is read until the next reset
}

// reset starts a new stream, as after a change of keys.
func (m *messages) reset() { *m = messages{buf: m.buf[:0]} }

// lose notes a hole in the stream.
func (m *messages) lose() { m.reset(); m.lost = true }

// next takes bytes from p and returns the message they complete, if any, and the rest of p. The body is good until
// the next call. At the end of p ok is false.
func (m *messages) next(p []byte) (kind byte, body, rest []byte, ok bool) {
	for len(p) > 0 && !m.lost {
		if m.skip > 0 {
			n := min(m.skip, len(p))
			m.skip, p = m.skip-n, p[n:]
			continue
		}
		if len(m.buf) < 4 {
			n := min(4-len(m.buf), len(p))
			m.buf, p = append(m.buf, p[:n]...), p[n:]
			if len(m.buf) < 4 {
				break
			}
		}
		kind, size := m.buf[0], int(binary.BigEndian.Uint32(m.buf)&0xffffff)
		if size > maxMessage || !matters(kind) {
			m.skip, m.buf = size, m.buf[:0]
			continue
		}
		n := min(4+size-len(m.buf), len(p))
		m.buf, p = append(m.buf, p[:n]...), p[n:]
		if len(m.buf) == 4+size {
			body, m.buf = m.buf[4:], m.buf[:0]
			return kind, body, p, true
		}
	}
	return 0, nil, nil, false
}

func matters(kind byte) bool {
	switch kind {
	case msgClientHello, msgServerHello, msgNewSessionTicket, msgEndOfEarlyData, msgEncryptedExtensions,
		msgClientKeyExchange, msgFinished, msgKeyUpdate:
		return true
	}
	return false
}
