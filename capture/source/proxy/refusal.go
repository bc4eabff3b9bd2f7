package proxy

import (
	"fmt"
	"net/http"
	"strings"
)

// Unsent is the Server field of an answer of the proxy's own to a request that it did not hand to the upstream.
const Unsent = "mcptrace-proxy"

// refusal is an answer of the proxy's own.
type refusal struct {
	status int
	why    string
	late   bool // the upstream had been sent the request
}

// Error implements error.
func (r *refusal) Error() string {
	return fmt.Sprintf("%d %s: %s", r.status, http.StatusText(r.status), r.why)
}

func refuse(status int, why string) *refusal { return &refusal{status: status, why: why} }

// answer returns the response that says so; the connection ends behind it.
func (r *refusal) answer() []byte {
	body := "mcptrace proxy: " + printable(r.why) + "\n"
	allow := ""
	if r.status == http.StatusMethodNotAllowed {
		allow = "Allow: GET, POST, DELETE, OPTIONS\r\n"
	}
	server := ""
	if !r.late {
		server = "Server: " + Unsent + "\r\n"
	}
	return fmt.Appendf(nil, "HTTP/1.1 %d %s\r\n%sContent-Type: text/plain; charset=utf-8\r\n%sContent-Length: %d\r\nConnection: close\r\n\r\n%s",
		r.status, http.StatusText(r.status), server, allow, len(body), body)
}

// printable keeps what a client sent harmless to who reads the answer.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}
