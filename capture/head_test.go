package capture

import (
	"reflect"
	"strings"
	"testing"

	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/http2"
)

// TestParseHeadHTTP2: the text made of a header list gives the same head again.
func TestParseHeadHTTP2(t *testing.T) {
	for _, test := range []struct {
		name   string
		from   Side
		fields []http2.Field
	}{
		{"request", Client, []http2.Field{{Name: ":method", Value: "POST"}, {Name: ":scheme", Value: "http"}, {Name: ":authority", Value: "h:1"}, {Name: ":path", Value: "/mcp?a=b"}, {Name: "accept", Value: "a, b"}}},
		{"unknown target", Client, []http2.Field{{Name: ":method", Value: "GET"}, {Name: "?62", Value: "x: y"}}},
		{"nothing known", Client, nil},
		{"response", Server, []http2.Field{{Name: ":status", Value: "200"}, {Name: "mcp-session-id", Value: ""}, {Name: "a", Value: " b "}}},
		{"unknown status", Server, []http2.Field{{Name: "a", Value: "b"}}},
	} {
		want, text := headOf(test.fields, test.from == Client)
		if got := ParseHead(text, test.from, ""); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v instead of %+v", test.name, got, want)
		}
		for n := range text {
			if got := ParseHead(text[:n], test.from, ""); got != nil {
				t.Errorf("%s: %d of %d bytes are a head: %+v", test.name, n, len(text), got)
			}
		}
	}
}

func TestParseHeadHTTP1(t *testing.T) {
	const response = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nA: b\r\n\r\n"
	h := ParseHead([]byte(response), Server, "POST")
	if h == nil || h.Status != 200 || h.Reason != "OK" || h.Framing != http1.Length || h.Length != 5 || h.Get("a") != "b" {
		t.Errorf("%+v", h)
	}
	if h := ParseHead([]byte(response), Server, "HEAD"); h == nil || h.Framing != http1.None {
		t.Errorf("to HEAD: %+v", h)
	}
	if h := ParseHead([]byte("POST /mcp HTTP/1.0\r\n\r\n"), Client, ""); h == nil || h.Target != "/mcp" || h.Proto != "HTTP/1.0" {
		t.Errorf("%+v", h)
	}
	for _, bad := range []string{"", "\r\n", response[:20], response + "x", "POST / HTTP/1.1\r\n\r\n", strings.Repeat("x", 1000)} {
		if h := ParseHead([]byte(bad), Server, ""); h != nil {
			t.Errorf("%q: %+v", bad, h)
		}
	}
}
