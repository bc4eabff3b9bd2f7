package tls

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	stdtls "crypto/tls"
	"fmt"
	"testing"
)

// quiet is a handler that does nothing.
type quiet struct{}

func (quiet) Plain(bool, []byte, int64, int64) {}
func (quiet) Lost(bool, int64, int64, int64)   {}
func (quiet) Alert(bool, bool, uint8, int64)   {}
func (quiet) Hello(Info)                       {}
func (quiet) Opaque(string)                    {}

// BenchmarkConn reads recorded connections, in pieces of the size of a TCP segment.
func BenchmarkConn(b *testing.B) {
	for _, size := range []int{200, 1 << 20} {
		for _, version := range []uint16{stdtls.VersionTLS12, stdtls.VersionTLS13} {
			b.Run(fmt.Sprintf("%s/message=%d", versionName(version), size), func(b *testing.B) {
				p := &peers{}
				for n := 0; n < 4<<20; n += size * 2 {
					p.messages = append(p.messages, bytes.Repeat([]byte("x"), size))
					if len(p.messages) > 2000 {
						break
					}
				}
				p.client.MaxVersion = version
				r := p.run(b).split(func() int { return 1448 })
				keys := keyLog(b, r.keys)
				b.SetBytes(int64(len(r.wire(true)) + len(r.wire(false))))
				b.ReportAllocs()
				for b.Loop() {
					c := New(keys, quiet{})
					for _, p := range r.pieces {
						c.Write(p.fromClient, p.data)
					}
					c.Close()
				}
			})
		}
	}
}

// BenchmarkAEAD is what the cipher alone costs.
func BenchmarkAEAD(b *testing.B) {
	for _, size := range []int{200, 1 << 14} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			block, _ := aes.NewCipher(make([]byte, 16))
			aead, _ := cipher.NewGCM(block)
			nonce, header := make([]byte, 12), make([]byte, 5)
			sealed := aead.Seal(nil, nonce, make([]byte, size), header)
			room := make([]byte, 0, size)
			b.SetBytes(int64(len(sealed)))
			for b.Loop() {
				if _, err := aead.Open(room, nonce, sealed, header); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
