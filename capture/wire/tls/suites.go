package tls

import (
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	stdtls "crypto/tls"
	"fmt"
	"hash"
	"strings"
)

// Protocol versions as they stand on the wire.
const (
	version10 = 0x0301
	version11 = 0x0302
	version12 = 0x0303
	version13 = 0x0304
)

func versionName(v uint16) string {
	if v >= version10 && v <= version13 {
		return fmt.Sprintf("TLS 1.%d", v-version10)
	}
	return fmt.Sprintf("version 0x%04x", v)
}

type mode uint8

const (
	modeGCM mode = iota
	modeCCM
	modeCCM8
	modeChaCha20
	modeCBC
)

// suite is a cipher suite as far as the record layer and the key schedule care.
type suite struct {
	name   string
	mode   mode
	keyLen int
	hash   func() hash.Hash // of the key schedule
	mac    func() hash.Hash // of the record, for CBC
}

// algorithms are the suites without their key exchange, which a reader of key logs need not know.
var algorithms = map[string]suite{
	"AES_128_GCM_SHA256":       {mode: modeGCM, keyLen: 16, hash: sha256.New},
	"AES_256_GCM_SHA384":       {mode: modeGCM, keyLen: 32, hash: sha512.New384},
	"CHACHA20_POLY1305_SHA256": {mode: modeChaCha20, keyLen: 32, hash: sha256.New},
	"AES_128_CCM_SHA256":       {mode: modeCCM, keyLen: 16, hash: sha256.New},
	"AES_128_CCM_8_SHA256":     {mode: modeCCM8, keyLen: 16, hash: sha256.New},
	"AES_128_CCM":              {mode: modeCCM, keyLen: 16, hash: sha256.New},
	"AES_256_CCM":              {mode: modeCCM, keyLen: 32, hash: sha256.New},
	"AES_128_CCM_8":            {mode: modeCCM8, keyLen: 16, hash: sha256.New},
	"AES_256_CCM_8":            {mode: modeCCM8, keyLen: 32, hash: sha256.New},
	"AES_128_CBC_SHA":          {mode: modeCBC, keyLen: 16, hash: sha256.New, mac: sha1.New},
	"AES_256_CBC_SHA":          {mode: modeCBC, keyLen: 32, hash: sha256.New, mac: sha1.New},
	"AES_128_CBC_SHA256":       {mode: modeCBC, keyLen: 16, hash: sha256.New, mac: sha256.New},
	"AES_256_CBC_SHA256":       {mode: modeCBC, keyLen: 32, hash: sha256.New, mac: sha256.New},
	"AES_128_CBC_SHA384":       {mode: modeCBC, keyLen: 16, hash: sha512.New384, mac: sha512.New384},
	"AES_256_CBC_SHA384":       {mode: modeCBC, keyLen: 32, hash: sha512.New384, mac: sha512.New384},
}

// suiteRuns lists the supported suites: consecutive numbers from first on.
//
// Source: IANA, "TLS Cipher Suites".
var suiteRuns = []struct {
	first     uint16
	exchanges string
	algorithm string
}{
	{0x002f, "RSA DH_DSS DH_RSA DHE_DSS DHE_RSA DH_anon", "AES_128_CBC_SHA"},
	{0x0035, "RSA DH_DSS DH_RSA DHE_DSS DHE_RSA DH_anon", "AES_256_CBC_SHA"},
	{0x003c, "RSA", "AES_128_CBC_SHA256"},
	{0x003d, "RSA", "AES_256_CBC_SHA256"},
	{0x003e, "DH_DSS DH_RSA DHE_DSS", "AES_128_CBC_SHA256"},
	{0x0067, "DHE_RSA", "AES_128_CBC_SHA256"},
	{0x0068, "DH_DSS DH_RSA DHE_DSS DHE_RSA", "AES_256_CBC_SHA256"},
	{0x006c, "DH_anon", "AES_128_CBC_SHA256"},
	{0x006d, "DH_anon", "AES_256_CBC_SHA256"},
	{0x009c, "RSA DHE_RSA DH_RSA DHE_DSS DH_DSS DH_anon", "AES_128_GCM_SHA256|AES_256_GCM_SHA384"},
	{0x1301, "", "AES_128_GCM_SHA256|AES_256_GCM_SHA384|CHACHA20_POLY1305_SHA256|AES_128_CCM_SHA256|AES_128_CCM_8_SHA256"},
	{0xc004, "ECDH_ECDSA", "AES_128_CBC_SHA|AES_256_CBC_SHA"},
	{0xc009, "ECDHE_ECDSA", "AES_128_CBC_SHA|AES_256_CBC_SHA"},
	{0xc00e, "ECDH_RSA", "AES_128_CBC_SHA|AES_256_CBC_SHA"},
	{0xc013, "ECDHE_RSA", "AES_128_CBC_SHA|AES_256_CBC_SHA"},
	{0xc018, "ECDH_anon", "AES_128_CBC_SHA|AES_256_CBC_SHA"},
	{0xc023, "ECDHE_ECDSA ECDH_ECDSA ECDHE_RSA ECDH_RSA", "AES_128_CBC_SHA256|AES_256_CBC_SHA384"},
	{0xc02b, "ECDHE_ECDSA ECDH_ECDSA ECDHE_RSA ECDH_RSA", "AES_128_GCM_SHA256|AES_256_GCM_SHA384"},
	{0xc09c, "RSA DHE_RSA", "AES_128_CCM|AES_256_CCM"},
	{0xc0a0, "RSA DHE_RSA", "AES_128_CCM_8|AES_256_CCM_8"},
	{0xc0ac, "ECDHE_ECDSA", "AES_128_CCM|AES_256_CCM|AES_128_CCM_8|AES_256_CCM_8"},
	{0xcca8, "ECDHE_RSA ECDHE_ECDSA DHE_RSA", "CHACHA20_POLY1305_SHA256"},
}

var suites = listSuites()

func listSuites() map[uint16]*suite {
	all := map[uint16]*suite{}
	for _, run := range suiteRuns {
		id := run.first
		for _, exchange := range strings.Split(run.exchanges, " ") {
			prefix := "TLS_"
			if exchange != "" {
				prefix += exchange + "_WITH_"
			}
			for _, algorithm := range strings.Split(run.algorithm, "|") {
				s := algorithms[algorithm]
				s.name = prefix + algorithm
				all[id] = &s
				id++
			}
		}
	}
	return all
}

// suiteName names any suite, supported or not; one that nobody here knows by its number.
func suiteName(id uint16) string {
	if s := suites[id]; s != nil {
		return s.name
	}
	return stdtls.CipherSuiteName(id)
}

// isTLS13 reports whether the suite belongs to TLS 1.3, whose suites name no key exchange.
func (s *suite) isTLS13() bool { return !strings.Contains(s.name, "_WITH_") }

// overhead returns by how many bytes a TLS 1.2 record's payload exceeds its plaintext, -1 if that varies.
func (s *suite) overhead() int {
	switch s.mode {
	case modeGCM, modeCCM:
		return 8 + 16
	case modeCCM8:
		return 8 + 8
	case modeChaCha20:
		return 16
	}
	return -1
}
