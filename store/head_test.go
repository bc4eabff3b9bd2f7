package store

import (
	"strings"
	"testing"

	"mcptrace/capture"
)

// TestPlainHead: what is parsed the short way is what the long way makes of it.
func TestPlainHead(t *testing.T) {
	plain := 0
	for _, start := range []string{"POST /mcp HTTP/1.1", "GET / HTTP/1.0", "HEAD / HTTP/1.1", "CONNECT a:1 HTTP/1.1", "POST  /mcp HTTP/1.1", "PROPPATCHPROPPATCH / HTTP/1.1",
		"POST /mcp HTTP/2", "HTTP/2 200", "HTTP/1.1 200 OK", "HTTP/1.1 200", "HTTP/1.1 100 Continue", "HTTP/1.1 101 Switching", "HTTP/1.1 204 No Content", "HTTP/1.1 304 Not Modified", "HTTP/1.1 20", "", "\r\nGET / HTTP/1.1"} {
		for _, fields := range []string{"", "Content-Length: 12", "content-length:12", "Content-Length: +1", "Content-Length: 1_0", "Content-Length: 012", "Content-Length: 12, 12", "Content-Length: 99999999999999999999",
			"Content-Length: 1\r\nContent-Length: 1", "Content-Length: 1\r\nContent-Length: 2", "Content-Length:", "Transfer-Encoding: chunked", "Transfer-Encoding: Chunked", "Transfer-Encoding: gzip", "Transfer-Encoding: gzip, chunked",
			"Transfer-Encoding: identity", "Transfer-Encoding: chunked\r\nContent-Length: 1", "Content-Length: 1\r\nTransfer-Encoding: chunked", "Host: a\r\n folded: b\r\nX: y", " folded", ": no name", "no colon", "A : b",
			"X: " + strings.Repeat("x", maxPlain), strings.Repeat("X: y\r\n", 2001) + "X: y"} {
			for _, end := range []string{"\r\n\r\n", "\n\n", "\r\n", "\r\n\r\nmore"} {
				text := start + "\r\n" + fields + end
				for _, from := range []capture.Side{capture.Client, capture.Server} {
					for _, method := range []string{"", "POST", "HEAD", "CONNECT"} {
						if h := plainHead([]byte(text), from, method); h != nil {
							plain++
							if want := capture.ParseHead([]byte(text), from, method); !sameHead(h, want) {
								t.Errorf("%.80q, from the %s, %s: %+v instead of %+v", text, from, method, h, want)
							}
						}
					}
				}
			}
		}
	}
	if plain == 0 {
		t.Error("none is plain")
	}
}
