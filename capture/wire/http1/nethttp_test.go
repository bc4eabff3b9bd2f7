package http1

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
)

// TestAgainstNetHTTP compares heads, bodies and completeness with the standard library, but for what
// only this package tolerates.
func TestAgainstNetHTTP(t *testing.T) {
	tolerated := map[string]bool{"length twice": true, "chunks with bare LF": true, "interim": true, "chunks": true, "identity coding": true}
	for _, m := range messages {
		if m.method != "" && !tolerated[m.name] {
			compareResponse(t, m.name, m.in, m.method)
		}
	}
	r := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		in := randomResponse(r)
		cut := r.IntN(len(in) + 1)
		compareResponse(t, "random", in, "POST")
		compareResponse(t, "random cut", in[:cut], "POST")
	}
}

func randomResponse(r *rand.Rand) string {
	body := strings.Repeat("data: abc\r\n\r\n", r.IntN(5))
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-A: " + strings.Repeat("v", r.IntN(9)) + "\r\n"
	switch r.IntN(3) {
	case 0:
		return head + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body)
	case 1:
		return head + "\r\n" + body
	}
	out := head + "Transfer-Encoding: chunked\r\n\r\n"
	for body != "" {
		n := 1 + r.IntN(len(body))
		out += fmt.Sprintf("%x\r\n%s\r\n", n, body[:n])
		body = body[n:]
	}
	return out + "0\r\nT: v\r\n\r\n"
}

func compareResponse(t *testing.T, name, in, method string) {
	t.Helper()
	p, tr := newParser(in, method)
	p.Write([]byte(in))
	p.EOF()
	request, _ := http.NewRequest(method, "http://x/", nil)
	resp, err := http.ReadResponse(bufio.NewReader(strings.NewReader(in)), request)
	if err != nil {
		if len(tr.heads) > 0 && tr.heads[0].Framing != Faulty && tr.heads[0].Framing != Close {
			t.Errorf("%s: %q: net/http refuses (%v), we read %s", name, in, err, tr)
		}
		return
	}
	body, err := io.ReadAll(resp.Body)
	if len(tr.heads) == 0 || tr.heads[0].Status != resp.StatusCode {
		t.Fatalf("%s: %q: status %d, we read %s", name, in, resp.StatusCode, tr)
	}
	if len(tr.heads) > 1 {
		return // net/http reads one message
	}
	if !bytes.HasPrefix(body, tr.body) || err == nil && len(body) != len(tr.body) {
		t.Errorf("%s: %q: body %q, we read %q", name, in, body, tr.body)
	}
	for k, vs := range resp.Header {
		if got := tr.heads[0].Values(k); fmt.Sprint(got) != fmt.Sprint(vs) && k != "Content-Length" {
			t.Errorf("%s: field %s: %q, we read %q", name, k, vs, got)
		}
	}
	if ended := strings.Contains(tr.String(), "end "); ended != (err == nil) {
		t.Errorf("%s: %q: net/http says %v, we read %s", name, in, err, tr)
	}
}
