package redact

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

func redacted(r *Redactor, text string) string {
	b := []byte(text)
	r.json(b)
	return string(b)
}

// shape shows what changed: letters as a and A, digits as 0.
func shape(s string) string {
	return strings.Map(func(c rune) rune {
		switch kindOf(c) {
		case lower:
			return 'a'
		case upper:
			return 'A'
		case digit:
			return '0'
		case two, three, four:
			return '?'
		}
		return c
	}, s)
}

func TestJSON(t *testing.T) {
	for _, test := range []struct{ name, in, keep string }{
		{"a call", `{"jsonrpc":"2.0","id":"req-7","method":"tools/call","params":{"name":"pay","arguments":{"to":"Ann Lee","name":"Bob"}}}`,
			`{"jsonrpc":"2.0","id":"req-7","method":"tools/call","params":{"name":"pay","arguments":{"to":"`},
		{"a batch", `[{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"pay","arguments":{"x":"abcdefgh"}}}]`, `[{"jsonrpc":"2.0","id":71,"method":"tools/call","params":{"name":"pay","arguments":{"x":"`},
		{"an error", `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"no such order 12345"}}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"`},
		{"a handshake", `{"id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"1.2"},"instructions":"pay first"}}`,
			`{"id":1,"result":{"protocolVersion":"2025-06-18","serverInfo":{"name":"shop","version":"1.2"},"instructions":"`},
		{"members named by users", `{"id":1,"result":{"structuredContent":{"ann@example.com":"abcdefgh"}}}`, `{"id":1,"result":{"structuredContent":{"`},
		{"an id elsewhere", `{"id":1,"result":{"id":"abcdefgh12"}}`, `{"id":1,"result":{"id":"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := redacted(New(), test.in)
			if !strings.HasPrefix(got, test.keep) {
				t.Errorf("got %s\nwant a beginning of %s", got, test.keep)
			}
			if got == test.in || !json.Valid([]byte(got)) || shape(got) != shape(test.in) {
				t.Errorf("%s became %s", test.in, got)
			}
		})
	}
}

// TestEqual: values that are equal as JSON stay equal, different ones stay different, under one Redactor.
func TestEqual(t *testing.T) {
	r := New()
	same := [][2]string{{`"Bär"`, `"B\u00e4r"`}, {`"a/b"`, `"a\/b"`}, {`"\ud83d\ude00x"`, `"😀x"`}, {`"日本"`, `"\u65e5\u672c"`}, {`"Ab1"`, `"\u0041\u0062\u0031"`}}
	for _, s := range same {
		var a, b any
		if err := json.Unmarshal([]byte(redacted(r, s[0])), &a); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(redacted(r, s[1])), &b); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%v are equal, %v and %v are not", s, a, b)
		}
	}
	seen := map[string]int{}
	for i := range 1000 {
		n := redacted(r, fmt.Sprint(i))
		if len(n) != len(fmt.Sprint(i)) || !json.Valid([]byte(n)) {
			t.Errorf("%d became %s", i, n)
		}
		if j, ok := seen[n]; ok {
			t.Fatalf("%d and %d both became %s", i, j, n)
		}
		seen[n] = i
		if again := redacted(r, fmt.Sprint(i)); again != n {
			t.Fatalf("%d became %s, then %s", i, n, again)
		}
	}
}

// TestCrowded: more values than there are placeholders of their shape cost time that is bounded.
func TestCrowded(t *testing.T) {
	var b []byte
	for c := rune(0xa1); c < 0x800; c++ {
		b = fmt.Appendf(b, "%q,\"%c%c\",", string(c), c, 'a'+c%26)
	}
	r := New()
	for range 4 {
		r.json(bytes.Clone(b))
	}
	if r.vain > maxVain+2*maxAttempts {
		t.Errorf("%d attempts in vain", r.vain)
	}
}

func TestNumbers(t *testing.T) {
	for _, in := range []string{"0", "-0", "7", "-17", "0.25", "1e9", "1.5E-3", "10000000000000000000000"} {
		got := redacted(New(), in)
		if len(got) != len(in) || !json.Valid([]byte(got)) {
			t.Errorf("%s became %s", in, got)
		}
		if i := strings.IndexAny(in, "eE"); i >= 0 && got[i:] != in[i:] {
			t.Errorf("%s became %s: another exponent", in, got)
		}
	}
}

func TestEvents(t *testing.T) {
	in := "\xef\xbb\xbf: secret comment\r\nid: secretid-1\r\nevent: message\r\nretry: 1500\r\n" +
		"data: {\"jsonrpc\":\"2.0\",\"id\":7,\r\ndata: \"result\":{\"text\":\"secret\"}}\r\n\r\nevent: secretname\ndata: secret plain\n\nsecret line\ndata: {\"id\":1,\"result\":{\"a\":\"secr"
	b := []byte(in)
	New().events(b)
	if len(b) != len(in) || bytes.Contains(b, []byte("secre")) || shape(string(b)) != shape(in) {
		t.Errorf("%q", b)
	}
	for _, kept := range []string{"event: message\r\n", "retry: 1500", "data: {\"jsonrpc\":\"2.0\",\"id\":7,\r\ndata: \"result\":{\"text\":\"", "data: {\"id\":1,\"result\":{\"a\":\""} {
		if !bytes.Contains(b, []byte(kept)) {
			t.Errorf("%q is gone from %q", kept, b)
		}
	}
}

func TestTarget(t *testing.T) {
	for in, want := range map[string]string{
		"/mcp":                             "/mcp",
		"/mcp?sessionId=abcd1234":          "/mcp?sessionId=",
		"/v1/projects/mcp":                 "/v1/projects/mcp",
		"/s/0a1b2c3d4e5f6071/mcp":          "/s/",
		"https://u:secretpw@h.example/x":   "https://",
		"https://h.example/x#secretsecret": "https://h.example/x#",
	} {
		b := []byte(in)
		New().target(b)
		if got := string(b); !strings.HasPrefix(got, want) || len(got) != len(in) || (in != want) != (got != in) {
			t.Errorf("%s became %s", in, got)
		}
	}
}

// FuzzJSON: whatever comes, lengths and structure stay, and JSON stays JSON.
func FuzzJSON(f *testing.F) {
	for _, s := range []string{`{"jsonrpc":"2.0","id":1,"method":"m","params":{"arguments":{"a":[1,2.5e3,"x\u00e9\ud83d\ude00\n"],"b@c":null}}}`, `[[[[{"a":`, `"\u12`, `{"a":"\`, `tru`, "{\"\xff\":\"\xff\"}", `-`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		b := bytes.Clone(in)
		r := New()
		r.json(b)
		if len(b) != len(in) {
			t.Fatal("length changed")
		}
		if json.Valid(in) && !json.Valid(b) {
			t.Fatalf("%q became %q", in, b)
		}
		if utf8.Valid(in) && !utf8.Valid(b) {
			t.Fatalf("%q became %q: no UTF-8", in, b)
		}
		for i := range in {
			if strings.IndexByte("{}[],:\"\\\r\n\x00", in[i]) >= 0 && in[i] != b[i] {
				t.Fatalf("byte %d of %q became %q", i, in, b)
			}
		}
		c := bytes.Clone(in)
		r.json(c)
		if !bytes.Equal(b, c) {
			t.Fatalf("%q became %q, then %q", in, b, c)
		}
	})
}

// FuzzEvents: lines stay lines, fields stay fields.
func FuzzEvents(f *testing.F) {
	f.Add([]byte("id: 1\ndata: {\"a\":\"b\"}\n\n"))
	f.Add([]byte("data: x\rdata:{\"y\":\r\ndata: 1}\r\r\n: c\nevent:e\n\nz"))
	f.Fuzz(func(t *testing.T, in []byte) {
		b := bytes.Clone(in)
		New().events(b)
		if len(b) != len(in) {
			t.Fatal("length changed")
		}
		for i := range in {
			if (in[i] == '\n' || in[i] == '\r' || in[i] == ':') && b[i] != in[i] {
				t.Fatalf("byte %d of %q became %q", i, in, b)
			}
		}
	})
}
