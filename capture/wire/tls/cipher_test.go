package tls

import (
	"bytes"
	"crypto/aes"
	"crypto/sha256"
	stdtls "crypto/tls"
	"encoding/hex"
	"strings"
	"testing"
)

func unhex(s string) []byte {
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		panic(err)
	}
	return b
}

// Source: NIST SP 800-38C, example 3.
func TestCCM(t *testing.T) {
	block, err := aes.NewCipher(unhex("404142434445464748494a4b4c4d4e4f"))
	if err != nil {
		t.Fatal(err)
	}
	c := &ccm{block, 8}
	nonce, additional := unhex("101112131415161718191a1b"), unhex("000102030405060708090a0b0c0d0e0f10111213")
	sealed := unhex("e3b201a9f5b71a7a9b1ceaeccd97e70b6176aad9a4428aa5 484392fbc1b09951")
	want := unhex("202122232425262728292a2b2c2d2e2f3031323334353637")
	got, err := c.Open([]byte("before "), nonce, sealed, additional)
	if err != nil || !bytes.Equal(got, append([]byte("before "), want...)) {
		t.Errorf("%x, %v", got, err)
	}
	for i := range sealed {
		sealed[i] ^= 1
		if _, err := c.Open(nil, nonce, sealed, additional); err == nil {
			t.Errorf("byte %d changed, tag fits", i)
		}
		sealed[i] ^= 1
	}
	if _, err := c.Open(nil, nonce, sealed[:7], additional); err == nil {
		t.Error("no tag, yet it fits")
	}
}

// Source: RFC 8448, section 3 (server handshake traffic secret).
func TestExpandLabel(t *testing.T) {
	secret := unhex("b67b7d690cc16c4e75e54213cb2d37b4e9c912bcded9105d42befd59d391ad38")
	if got := expandLabel(sha256.New, secret, "key", 16); !bytes.Equal(got, unhex("3fce516009c21727d0f2e4e86ee403bc")) {
		t.Errorf("key %x", got)
	}
	if got := expandLabel(sha256.New, secret, "iv", 12); !bytes.Equal(got, unhex("5d313eb2671276ee13000b30")) {
		t.Errorf("iv %x", got)
	}
}

func TestUnpad(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int
	}{
		{"00", 0}, {"aa 00", 1}, {"aa 01 01", 1}, {"aa 02 01", -1}, {"01", -1}, {"ff", -1}, {"03 03 03 03", 0},
	} {
		if got := unpad(unhex(test.in)); got != test.want {
			t.Errorf("%s: %d, want %d", test.in, got, test.want)
		}
	}
}

func TestInnerPlaintext(t *testing.T) {
	for _, test := range []struct {
		in   string
		kind byte
		want string
	}{
		{"", 0, ""}, {"00 00", 0, ""}, {"17", 23, ""}, {"aa 17", 23, "aa"}, {"aa 00 17 00 00", 23, "aa 00"}, {"00 16", 22, "00"},
	} {
		kind, got := innerPlaintext(unhex(test.in))
		if kind != test.kind || !bytes.Equal(got, unhex(test.want)) {
			t.Errorf("%q: type %d, %x", test.in, kind, got)
		}
	}
}

// The table agrees with crypto/tls wherever both know a suite.
func TestSuiteNames(t *testing.T) {
	known := 0
	for id, s := range suites {
		name := stdtls.CipherSuiteName(id)
		if strings.HasPrefix(name, "0x") {
			continue
		}
		known++
		if s.name != name {
			t.Errorf("0x%04x: %s, crypto/tls says %s", id, s.name, name)
		}
	}
	if known < 20 {
		t.Errorf("%d suites in common", known)
	}
	for id, name := range map[uint16]string{ // ends of the runs
		0x0034: "TLS_DH_anon_WITH_AES_128_CBC_SHA", 0x006b: "TLS_DHE_RSA_WITH_AES_256_CBC_SHA256",
		0x00a7: "TLS_DH_anon_WITH_AES_256_GCM_SHA384", 0x1305: "TLS_AES_128_CCM_8_SHA256",
		0xc02a: "TLS_ECDH_RSA_WITH_AES_256_CBC_SHA384", 0xc032: "TLS_ECDH_RSA_WITH_AES_256_GCM_SHA384",
		0xc0a3: "TLS_DHE_RSA_WITH_AES_256_CCM_8", 0xc0af: "TLS_ECDHE_ECDSA_WITH_AES_256_CCM_8",
		0xccaa: "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
	} {
		if suiteName(id) != name {
			t.Errorf("0x%04x: %s, want %s", id, suiteName(id), name)
		}
	}
}

func TestSniff(t *testing.T) {
	for in, want := range map[string]bool{
		"": false, "16 03": false, "16 03 01": true, "16 03 01 02": true, "16 03 01 02 00": true, "16 03 01 02 00 01": true,
		"16 03 03 00 7a 02 00": true, "16 03 03 00 7a 0b": false, "17 03 03 00 7a": false, "16 02 00": false,
		"16 03 01 00 03": false, "16 03 01 ff ff 01": false, "47 45 54 20 2f 20": false,
	} {
		if got := Sniff(unhex(in)); got != want {
			t.Errorf("%q: %v", in, got)
		}
	}
}
