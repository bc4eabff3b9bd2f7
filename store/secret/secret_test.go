package secret

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
)

// stars masks text and shows placeholders as stars.
func stars(m *Masker, text string) string {
	b := []byte(text)
	m.Head(b)
	for i := range b {
		if b[i] != text[i] {
			b[i] = '*'
		}
	}
	return string(b)
}

// masked fails the test unless got is want, where a star stands for a byte of [a-z0-9], which may be the one before.
func masked(t *testing.T, in, want string) {
	t.Helper()
	got := []byte(in)
	New().Head(got)
	if len(got) != len(want) {
		t.Fatalf("%q: want has %d bytes instead of %d", in, len(want), len(in))
	}
	changed := 0
	for i := range got {
		switch {
		case want[i] == '*' && strings.IndexByte(alphabet, got[i]) < 0, want[i] != '*' && got[i] != want[i]:
			t.Fatalf("%q became %q instead of %q", in, got, want)
		case got[i] != in[i]:
			changed++
		}
	}
	if stars := strings.Count(want, "*"); changed < stars/2 {
		t.Errorf("%q became %q: only %d bytes changed", in, got, changed)
	}
}

func TestHead(t *testing.T) {
	for _, test := range [][2]string{
		{"Authorization: Bearer ABC.DEF", "Authorization: Bearer *******"},
		{"authorization:  Basic   QUJD==\t", "authorization:  Basic   ******\t"},
		{"AUTHORIZATION: ABCDEF", "AUTHORIZATION: ******"},
		{"Authorization: Digest username=\"A\", b", "Authorization: Digest ***************"},
		{"Authorization:", "Authorization:"},
		{"Authorization: ", "Authorization: "},
		{"Proxy-Authorization: Basic QUJD", "Proxy-Authorization: Basic ****"},
		{"Cookie: a=BCD; e=\"FGH\"; IJK; l=", "Cookie: a=***; e=\"***\"; ***; l="},
		{"Set-Cookie: a=BCD; Path=/; Secure", "Set-Cookie: a=***; Path=/; Secure"},
		{"Mcp-Session-Id: ABC", "Mcp-Session-Id: ***"},
		{"X-Api-Key:ABC", "X-Api-Key:***"},
		{"X-Auth-Token: Bearer ABC", "X-Auth-Token: Bearer ***"},
		{"X-Client-Secret: A B", "X-Client-Secret: ***"},
		{"Upgrade: token", "Upgrade: token"},
		{"X-RateLimit-Remaining-Tokens: 1234", "X-RateLimit-Remaining-Tokens: 1234"},
		{"WWW-Authenticate: Bearer realm=\"x\"", "WWW-Authenticate: Bearer realm=\"x\""},
		{"Access-Control-Allow-Credentials: true", "Access-Control-Allow-Credentials: true"},
		{"Access-Control-Expose-Headers: Mcp-Session-Id", "Access-Control-Expose-Headers: Mcp-Session-Id"},
		{"Last-Event-ID: ABC", "Last-Event-ID: ABC"},
		{"Location: https://h/cb?state=1&code=ABC#access_token=DEF&x=G", "Location: https://h/cb?state=1&code=***#access_token=***&x=G"},
		{"Referer: http://user:PASS@h/", "Referer: http://user:****@h/"},
		{"GET /mcp?api_key=ABC&q=LONGENOUGH HTTP/1.1", "GET /mcp?api_key=***&q=LONGENOUGH HTTP/1.1"},
		{"POST /m?session=ABC&q=LONGENOUGHFORANID&v=2 HTTP/1.1", "POST /m?session=***&q=*****************&v=2 HTTP/1.1"},
		{"POST /m?sessionId=AB", "POST /m?sessionId=**"},
		{"POST http://h:80/m?token=ABC HTTP/1.1", "POST http://h:80/m?token=*** HTTP/1.1"},
		{"POST /m HTTP/2\r\nhost: h\r\nx-api-key: ABC\r\n\r\n", "POST /m HTTP/2\r\nhost: h\r\nx-api-key: ***\r\n\r\n"},
		{"HTTP/1.1 200 OK\nX-Token: A\n  B C\n\tD\nX: y\n z\n", "HTTP/1.1 200 OK\nX-Token: *\n  ***\n\t*\nX: y\n z\n"},
		{"HTTP/1.1 103 E\r\nX-Token: A\r\n\r\nHTTP/1.1 200 OK\r\nX-Token: B\r\n\r\n", "HTTP/1.1 103 E\r\nX-Token: *\r\n\r\nHTTP/1.1 200 OK\r\nX-Token: *\r\n\r\n"},
		{"\r\n0\r\nX-Token: ABC\r\n\r\n", "\r\n0\r\nX-Token: ***\r\n\r\n"},
		{"X-Token : ABC", "X-Token : ***"},
		{"", ""}, {"\n", "\n"}, {":", ":"}, {" ", " "}, {"\x00\xff", "\x00\xff"},
	} {
		masked(t, test[0], test[1])
	}
}

func TestKnownValues(t *testing.T) {
	m := New()
	const id = "1868a90c-5f3b"
	if got := stars(m, "Mcp-Session-Id: "+id); strings.Contains(got, id) {
		t.Fatal(got)
	}
	text := []byte(id + `{"id":"` + id + `","x` + id + `","` + id + `y":[` + id + `]} /` + id)
	want := string(text)
	m.Text(text)
	whole := regexp.MustCompile(`(^|[^a-zA-Z0-9])` + id + `($|[^a-zA-Z0-9])`)
	if whole.Match(text) || strings.Count(string(text), id) != 2 || len(text) != len(want) {
		t.Errorf("%s", text)
	}
	if b := []byte("POST /mcp/" + id + " HTTP/1.1\r\nX-Other: a " + id + "\r\n"); func() bool { m.Head(b); return bytes.Contains(b, []byte(id)) }() {
		t.Errorf("%s", b)
	}
	for _, head := range []string{"Content-Type: " + id, "Transfer-Encoding: " + id} {
		if got := stars(m, head); got != head {
			t.Errorf("%s became %s", head, got)
		}
	}
}

// TestTelling: traffic cannot declare the words of the protocol a secret.
func TestTelling(t *testing.T) {
	for _, v := range []string{"short12", "12345678901234", "1234567e-10", "tools/call", "TOOLS/call", "initialize", "progressToken", "content-type", "application/json",
		"has space 123", `"jsonrpc":"2.0"`, "event:message", "a{bcdefgh}", "modelcontextprotocol", strings.Repeat("a", MaxKnown+1), "caf\xc3\xa9-12345"} {
		if telling(v) {
			t.Errorf("%q is looked for", v)
		}
	}
	for _, v := range []string{"secret-1", "eyJhbGciOiJI.eyJz_dW-I.c2Vj", "QUJDREVGRw==", "a/b+c~d=12"} {
		if !telling(v) {
			t.Errorf("%q is not looked for", v)
		}
	}
	m := New()
	body := []byte(`{"jsonrpc":"2.0","id":12345678,"method":"tools/call","params":{"_meta":{"progressToken":7}}}`)
	want := string(body)
	for _, v := range []string{"tools/call", "progressToken", "12345678", `"jsonrpc":"2.0"`} {
		m.Head([]byte("X-Token: " + v))
	}
	if m.Text(body); string(body) != want {
		t.Errorf("%s", body)
	}
}

// TestFind compares with a search that looks at every place.
func TestFind(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = "abx"[rng.IntN(3)]
		}
		return string(b)
	}
	for range 300 {
		m := New()
		var values []string
		for range 1 + rng.IntN(20) {
			v := random(8 + rng.IntN(6))
			values = append(values, v)
			m.Head([]byte("X-Token: " + v))
		}
		var text strings.Builder
		for range 40 {
			if rng.IntN(2) == 0 {
				text.WriteString(values[rng.IntN(len(values))])
			} else {
				text.WriteString(random(rng.IntN(20)))
			}
			text.WriteString([]string{"", " ", ".", "  "}[rng.IntN(4)])
		}
		whole := []byte(text.String())
		n := rng.IntN(len(whole) + 1)
		got := map[int]int{}
		m.Find(whole, n, 0, func(start int, placeholder string) { got[start] = len(placeholder) })
		want := map[int]int{}
		for i := 0; i < n; i++ {
			if i > 0 && isWord(whole[i-1]) {
				continue
			}
			for _, v := range values {
				end := i + len(v)
				if strings.HasPrefix(string(whole[i:]), v) && (end == len(whole) || !isWord(whole[end])) {
					want[i] = len(v)
				}
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%q, values %q: %v instead of %v", whole[:n], values, got, want)
		}
	}
}

// TestLimits: values beyond the limits are masked where they are met, and counted.
func TestLimits(t *testing.T) {
	m := New()
	for i := range maxPerSpot + 10 { // all end alike
		v := fmt.Sprintf("%06d-same-end-of-all", i)
		b := []byte("X-Token: " + v)
		if m.Head(b); bytes.Contains(b, []byte(v)) {
			t.Fatal("not masked")
		}
	}
	if m.Forgone() != 10 {
		t.Errorf("%d forgone", m.Forgone())
	}
}

// FuzzHead: masking changes letters and digits of values only, so the form of a head stays as it was.
func FuzzHead(f *testing.F) {
	f.Add([]byte("POST /m?sessionId=abc&x=1 HTTP/1.1\r\nAuthorization: Bearer x.y\r\nCookie: a=b; c=\"d\"\r\n e\r\n\r\n"))
	f.Add([]byte("HTTP/2 200\r\nset-cookie: a=b; Path=/\r\nlocation: http://u:p@h/?code=1#token=2\r\n\r\n"))
	f.Add([]byte("\r\n0;x=\r\nX-Token: 12345678\r\nX: 12345678a\r\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m := New()
		once := bytes.Clone(text)
		m.Head(once)
		if len(once) != len(text) {
			t.Fatal("length changed")
		}
		for i := range once {
			if once[i] != text[i] && (strings.IndexByte(alphabet, once[i]) < 0 || text[i] == '\n') {
				t.Fatalf("byte %d of %q became %q", i, text, once)
			}
		}
		if strings.Count(string(once), "\n") != strings.Count(string(text), "\n") {
			t.Fatalf("%q became %q", text, once)
		}
		again := bytes.Clone(text)
		other := New()
		other.Head(again)
		for i := range again { // what is masked does not depend on the salt, but for a letter that happens to stay
			if (again[i] == text[i]) != (once[i] == text[i]) && strings.IndexByte(alphabet, text[i]) < 0 {
				t.Fatalf("%q became %q and %q", text, once, again)
			}
		}
	})
}

func BenchmarkFind(b *testing.B) {
	m := New()
	for i := range 100 {
		m.Head(fmt.Appendf(nil, "Mcp-Session-Id: 1868a90c-5f3b-4e21-9d77-%012d\r\n", i*7919))
	}
	text := []byte(strings.Repeat(`{"type":"text","text":"lorem ipsum dolor sit amet, 0123456789-abcdef"},`, 1<<14))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		m.Find(text, len(text), 0, func(int, string) {})
	}
}
