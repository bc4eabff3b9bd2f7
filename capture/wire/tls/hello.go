package tls

import (
	"bytes"

	"golang.org/x/crypto/cryptobyte"
)

// Extension numbers. Source: IANA, "TLS ExtensionType Values".
const (
	extServerName        = 0
	extALPN              = 16
	extEncryptThenMAC    = 22
	extExtendedMaster    = 23
	extSessionTicket     = 35
	extPreSharedKey      = 41
	extEarlyData         = 42
	extSupportedVersions = 43
)

// retryRandom is the random by which a ServerHello says that it is a HelloRetryRequest.
//
// Source: RFC 8446, section 4.1.3.
var retryRandom = [32]byte{
	0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91,
	0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
}

// clientHello is what is kept of a ClientHello.
type clientHello struct {
	random    [32]byte
	sessionID []byte
	ticket    []byte // of TLS 1.2
	sni       string
	early     bool // early data may follow
}

// serverHello is what is kept of a ServerHello.
type serverHello struct {
	version        uint16
	random         [32]byte
	sessionID      []byte
	suite          uint16
	compressed     bool   // the records are, before TLS 1.3
	alpn           string // TLS 1.2
	encryptThenMAC bool
	extendedMaster bool
	preSharedKey   bool // TLS 1.3 resumption
}

func (sh *serverHello) isRetry() bool { return sh.random == retryRandom }

// parseClientHello reads the body of a ClientHello. It keeps no part of body.
//
// Source: RFC 8446, section 4.1.2.
func parseClientHello(body []byte) (ch clientHello, ok bool) {
	s := cryptobyte.String(body)
	var id, suites, compressions cryptobyte.String
	if !s.Skip(2) || !s.CopyBytes(ch.random[:]) || !s.ReadUint8LengthPrefixed(&id) || len(id) > 32 ||
		!s.ReadUint16LengthPrefixed(&suites) || !s.ReadUint8LengthPrefixed(&compressions) {
		return ch, false
	}
	ch.sessionID = bytes.Clone(id)
	ok = eachExtension(s, func(number uint16, data cryptobyte.String) bool {
		switch number {
		case extServerName:
			ch.sni = parseServerName(data)
		case extSessionTicket:
			ch.ticket = bytes.Clone(data)
		case extEarlyData:
			ch.early = true
		}
		return true
	})
	return ch, ok
}

// parseServerHello reads the body of a ServerHello or HelloRetryRequest. It keeps no part of body.
//
// Source: RFC 8446, section 4.1.3.
func parseServerHello(body []byte) (sh serverHello, ok bool) {
	s := cryptobyte.String(body)
	var id cryptobyte.String
	var compression uint8
	if !s.ReadUint16(&sh.version) || !s.CopyBytes(sh.random[:]) || !s.ReadUint8LengthPrefixed(&id) || len(id) > 32 ||
		!s.ReadUint16(&sh.suite) || !s.ReadUint8(&compression) {
		return sh, false
	}
	sh.compressed = compression != 0
	sh.sessionID = bytes.Clone(id)
	ok = eachExtension(s, func(number uint16, data cryptobyte.String) bool {
		switch number {
		case extSupportedVersions:
			return data.ReadUint16(&sh.version)
		case extALPN:
			sh.alpn = parseALPN(data)
		case extEncryptThenMAC:
			sh.encryptThenMAC = true
		case extExtendedMaster:
			sh.extendedMaster = true
		case extPreSharedKey:
			sh.preSharedKey = true
		}
		return true
	})
	return sh, ok
}

// parseEncryptedExtensions reads the body of an EncryptedExtensions message.
//
// Source: RFC 8446, section 4.3.1.
func parseEncryptedExtensions(body []byte) (alpn string, early, ok bool) {
	ok = eachExtension(body, func(number uint16, data cryptobyte.String) bool {
		switch number {
		case extALPN:
			alpn = parseALPN(data)
		case extEarlyData:
			early = true
		}
		return true
	})
	return alpn, early, ok
}

// parseTicket returns the ticket in the body of a TLS 1.2 NewSessionTicket, nil if there is none.
//
// Source: RFC 5077, section 3.3.
func parseTicket(body []byte) []byte {
	s := cryptobyte.String(body)
	var ticket cryptobyte.String
	if !s.Skip(4) || !s.ReadUint16LengthPrefixed(&ticket) {
		return nil
	}
	return ticket
}

// eachExtension calls f for each extension in s, a length-prefixed list that may be missing altogether, until f
// returns false. It reports whether the list was well formed.
func eachExtension(s cryptobyte.String, f func(uint16, cryptobyte.String) bool) bool {
	if s.Empty() {
		return true
	}
	var list cryptobyte.String
	if !s.ReadUint16LengthPrefixed(&list) {
		return false
	}
	for !list.Empty() {
		var number uint16
		var data cryptobyte.String
		if !list.ReadUint16(&number) || !list.ReadUint16LengthPrefixed(&data) || !f(number, data) {
			return false
		}
	}
	return true
}

// parseServerName returns the host name of a server_name extension, "" if there is none.
//
// Source: RFC 6066, section 3.
func parseServerName(s cryptobyte.String) string {
	var list, name cryptobyte.String
	var kind uint8
	if !s.ReadUint16LengthPrefixed(&list) || !list.ReadUint8(&kind) || kind != 0 || !list.ReadUint16LengthPrefixed(&name) {
		return ""
	}
	return string(name)
}

// parseALPN returns the one protocol a server chose, "" if there is none.
//
// Source: RFC 7301, section 3.1.
func parseALPN(s cryptobyte.String) string {
	var list, name cryptobyte.String
	if !s.ReadUint16LengthPrefixed(&list) || !list.ReadUint8LengthPrefixed(&name) {
		return ""
	}
	return string(name)
}
