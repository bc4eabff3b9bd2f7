package bigpcap

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// download is HTTP that is no MCP.
func (g *generator) download(at time.Duration) {
	f := g.newFlow(at, g.host(), g.server(80))
	for range 1 + g.rng.IntN(4) {
		f.send(client, fmt.Sprintf("GET /files/%d HTTP/1.1\r\nHost: files.example\r\nAccept: */*\r\n\r\n", g.rng.IntN(1e6)))
		f.now += 5 * time.Millisecond
		body := g.cut(20000 + g.rng.IntN(150000))
		f.send(server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s", len(body), body))
		g.truth.NonMCP++
	}
	f.fin(client)
}

// secret is TLS without keys: both hellos and records of random bytes.
func (g *generator) secret(at time.Duration) {
	f := g.newFlow(at, g.host(), g.server(443))
	f.send(client, g.hello(1, []byte{0, 2, 0x13, 0x01, 1, 0, 0, 0}))
	f.send(server, g.hello(2, []byte{0x13, 0x01, 0, 0, 0}))
	for k := range 3 + g.rng.IntN(12) {
		side := server
		if k%3 == 0 {
			side = client
		}
		f.send(side, record(23, g.random(g.rng.IntN(16000))))
		f.now += g.upTo(50 * time.Millisecond)
	}
	f.fin(server)
	g.truth.TLSOpaque++
}

// hello is a handshake message of TLS 1.2 form: version, random, no session id, rest.
//
// Source: RFC 8446 section 4.1.
func (g *generator) hello(kind byte, rest []byte) string {
	body := append([]byte{3, 3}, g.random(32)...)
	body = append(append(body, 0), rest...)
	head := []byte{kind, 0, byte(len(body) >> 8), byte(len(body))}
	return record(22, append(head, body...))
}

func record(kind byte, body []byte) string {
	return string(append(binary.BigEndian.AppendUint16([]byte{kind, 3, 3}, uint16(len(body))), body...))
}

// binary is a protocol that nobody knows.
func (g *generator) binary(at time.Duration) {
	f := g.newFlow(at, g.host(), g.server(9999))
	for k := range 2 + g.rng.IntN(20) {
		f.send(k%2, "\x00\x01"+string(g.random(20+g.rng.IntN(4000))))
		f.now += g.upTo(20 * time.Millisecond)
	}
	f.fin(client)
}

func (g *generator) random(n int) []byte {
	b := make([]byte, n+8)
	for i := 0; i < n; i += 8 {
		binary.LittleEndian.PutUint64(b[i:], g.rng.Uint64())
	}
	return b[:n]
}

// cut returns n bytes of text from anywhere.
func (g *generator) cut(n int) string {
	at := g.rng.IntN(len(g.text) - n)
	return g.text[at : at+n]
}

// words returns a megabyte of text that can stand in a JSON string as it is.
func words(rng *rand.Rand) string {
	list := strings.Fields("order receipt charge card customer invoice result total amount currency status pending shipped refund ledger account balance row column file path content text value index search match token limit offset page")
	var b strings.Builder
	for b.Len() < 1<<20 {
		b.WriteString(list[rng.IntN(len(list))])
		if rng.IntN(6) == 0 {
			fmt.Fprintf(&b, " %d", rng.IntN(1e6))
		}
		b.WriteByte(' ')
	}
	return b.String()
}
