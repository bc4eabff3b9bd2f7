package store

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"mcptrace/capture"
)

// seeded are secrets that must not reach the disk.
var seeded = []string{
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0LXNpZ25hdHVyZQ", "dXNlcjpwYXNzd29yZA==", "sess-7f3a9c11-aaaa-bbbb", "cookie-value-9931x",
	"set-cookie-value-8817y", "xapikey-5512zz", "query-token-4410q", "sse-session-2266w", "refresh-3377m", "trailer-secret-1199t", "pw0rd-userinfo",
	"proxy-cred-5150p", "partial-secret-7070k", "interim-secret-8080j",
}

// leaky returns exchanges that hold the seeded secrets in all places from which they are taken.
func leaky(t *testing.T) ([]*capture.Exchange, []*capture.Conn) {
	a, exs := gather()
	c := newTalk(a, 0)
	auth := "Authorization: Bearer " + seeded[0] + "\r\n"
	c.post("/mcp", auth, `{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	c.answer("Mcp-Session-Id: "+seeded[2]+"\r\nSet-Cookie: sid="+seeded[4]+"; Path=/; HttpOnly\r\n", `{"jsonrpc":"2.0","id":1,"result":{}}`)
	c.post("/mcp?v=2&access_token="+seeded[6]+"&x=1", auth+"mcp-session-id: "+seeded[2]+"\r\nCookie: theme=dark; sid=\""+seeded[3]+"\"\r\nX-Api-Key:"+seeded[5]+
		"\r\nProxy-Authorization: Basic "+seeded[1]+"\r\nX-Refresh-Token: "+seeded[8]+"\r\nReferer: http://u:"+seeded[10]+"@h/?code="+seeded[6]+"\r\n",
		`{"jsonrpc":"2.0","id":"`+seeded[2]+`","method":"tools/call","params":{"name":"t","arguments":{"echo":"`+seeded[5]+`"}}}`)
	// a body that echoes, with the value cut by a transfer chunk and by segments
	c.say(capture.Server, "HTTP/1.1 103 Early Hints\r\nX-Secret: "+seeded[13]+"\r\n\r\n")
	c.stream("Trailer: X-Token\r\n", "data: {\"jsonrpc\":\"2.0\",\"id\":9,\"result\":{\"a\":\"Bearer "+seeded[0][:20], seeded[0][20:21], seeded[0][21:]+"\",\"b\":\""+seeded[2]+"\"}}\n\n", ": "+seeded[8]+"\n\n")
	c.finish("X-Token: " + seeded[9] + "\r\n")
	// HTTP+SSE: the session is named by the endpoint event, with a parameter of any name
	s := newTalk(a, 1)
	s.say(capture.Client, "GET /sse HTTP/1.1\r\nHost: h\r\nAccept: text/event-stream\r\n\r\n")
	s.stream("", "event: endpoint\ndata: /messages/?v=1&zone="+seeded[7][:9], seeded[7][9:]+"\n\n")
	p := newTalk(a, 2)
	p.post("/messages/?v=1&zone="+seeded[7], "Proxy-Authorization: "+seeded[11]+"\r\n", `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.answer("", "")
	// a head that was cut off
	h := newTalk(a, 3)
	h.say(capture.Client, "POST /mcp HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer "+seeded[12])
	for _, c := range []*talk{c, s, p, h} {
		c.duplex.Close(c.stamp())
	}
	if len(*exs) != 5 {
		t.Fatalf("%d exchanges", len(*exs))
	}
	return *exs, a.Conns()
}

func TestNoSecretReachesTheDisk(t *testing.T) {
	exs, conns := leaky(t)
	for _, live := range []bool{false, true} {
		path := recordAll(t, Options{Live: live}, exs, conns)
		file := fileBytes(t, path)
		for _, s := range seeded {
			if bytes.Contains(file, []byte(s)) || bytes.Contains(file, []byte(s[:len(s)-4])) {
				t.Errorf("live %v: %s is in the file", live, s)
			}
		}
		got := readAll(t, path)
		sameShape(t, got, exs)
		for i, ex := range got {
			for side, m := range []*capture.Message{&ex.Request, &ex.Response} {
				orig := bySeq(exs, ex.Seq)
				o := []*capture.Message{&orig.Request, &orig.Response}[side]
				if (m.Head == nil) != (o.Head == nil) || m.Wire.Len() != o.Wire.Len() || len(m.Body) != len(o.Body) || m.HeadEnd != o.HeadEnd {
					t.Errorf("exchange %d: masking changed the form of the message", i)
				}
			}
		}
		keep := fileBytes(t, recordAll(t, Options{Live: live, KeepSecrets: true}, exs, conns))
		for _, s := range []string{seeded[0], seeded[3], seeded[9]} {
			if !bytes.Contains(keep, []byte(s)) {
				t.Errorf("%s was not kept", s)
			}
		}
	}
}

func bySeq(exs []*capture.Exchange, seq int64) *capture.Exchange {
	for _, ex := range exs {
		if ex.Seq == seq {
			return ex
		}
	}
	return nil
}

// TestEqualSecrets: what belongs together can still be told from placeholders, and what is no secret stays.
func TestEqualSecrets(t *testing.T) {
	exs, conns := leaky(t)
	got := readAll(t, recordAll(t, Options{}, exs, conns))
	first, second := got[0], got[1]
	session := first.Response.Head.Get("Mcp-Session-Id")
	if len(session) != len(seeded[2]) || session != second.Request.Head.Get("Mcp-Session-Id") {
		t.Errorf("session %q and %q", session, second.Request.Head.Get("Mcp-Session-Id"))
	}
	body := string(second.Request.Wire.Bytes(second.Request.HeadEnd, second.Request.Wire.Len()))
	if !strings.Contains(body, `"id":"`+session+`"`) || !strings.Contains(body, second.Request.Head.Get("X-Api-Key")) {
		t.Errorf("body %s", body)
	}
	auth := first.Request.Head.Get("Authorization")
	if !strings.HasPrefix(auth, "Bearer ") || auth != second.Request.Head.Get("Authorization") {
		t.Errorf("authorization %q and %q", auth, second.Request.Head.Get("Authorization"))
	}
	if !strings.HasPrefix(second.Request.Head.Target, "/mcp?v=2&access_token=") || !strings.HasSuffix(second.Request.Head.Target, "&x=1") {
		t.Errorf("target %q", second.Request.Head.Target)
	}
	if c := first.Response.Head.Get("Set-Cookie"); !strings.HasPrefix(c, "sid=") || !strings.HasSuffix(c, "; Path=/; HttpOnly") {
		t.Errorf("cookie %q", c)
	}
	if a := string(second.Response.Wire.Bytes(0, second.Response.Wire.Len())); !strings.Contains(a, "\"b\":\""+session+"\"") {
		t.Errorf("answer %q", a)
	}
	endpoint := capture.Read(got[2]).Endpoint
	if endpoint != got[3].Request.Head.Target || !strings.HasPrefix(endpoint, "/messages/?v=1&zone=") {
		t.Errorf("endpoint %q, target %q", endpoint, got[3].Request.Head.Target)
	}
	// another recording has other placeholders
	if again := readAll(t, recordAll(t, Options{}, exs, conns)); again[0].Response.Head.Get("Mcp-Session-Id") == session {
		t.Error("placeholders are the same in two recordings")
	}
}

// TestMaskAcrossBlocks puts a known value at every place around the border of two blocks, in one span and in many.
func TestMaskAcrossBlocks(t *testing.T) {
	key := "k3y-" + strings.Repeat("a1", 20)
	for _, piece := range []int{1 << 20, 1, 7, 100} {
		framing := len(fmt.Sprintf("%x\r\n\r\n", piece))
		border := (blockSize - 100) * piece / (piece + framing) // about where in the body the second block begins
		for at := border - 70; at < border+20; at += 9 {
			a, exs := gather()
			c := newTalk(a, 0)
			text := "data: " + strings.Repeat("x", at) + " " + key + " " + strings.Repeat("y", blockSize) + " " + key
			c.post("/mcp", "X-Api-Key: "+key+"\r\n", "{}")
			var events []string
			for rest := text; len(rest) > 0; {
				n := min(piece, len(rest))
				if n < 100 && len(events) > 2*blockSize/n { // small pieces only where they matter
					n = len(rest)
				}
				events = append(events, rest[:n])
				rest = rest[n:]
			}
			var b strings.Builder
			for _, e := range events {
				fmt.Fprintf(&b, "%x\r\n%s\r\n", len(e), e)
			}
			c.say(capture.Server, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"+b.String())
			c.duplex.Close(c.stamp())
			got := readAll(t, recordAll(t, Options{}, *exs, a.Conns()))[0]
			body, _ := bodyPrefix(&got.Response, 1<<30)
			if len(body) != len(text) || bytes.Contains(body, []byte(key)) {
				t.Fatalf("pieces of %d, value at %d: not masked", piece, at)
			}
			mask := body[7+at : 7+at+len(key)]
			if !bytes.HasSuffix(body, mask) || mask[0] == 'x' && bytes.Equal(mask, bytes.Repeat([]byte("x"), len(key))) {
				t.Fatalf("pieces of %d, value at %d: %q and %q", piece, at, mask, body[len(body)-len(key):])
			}
		}
	}
}

// TestHintsAreMasked: what the caller knows is masked as well.
func TestHintsAreMasked(t *testing.T) {
	exs, _ := leaky(t)
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range exs {
		if err := w.AddWith(ex, Hints{Method: "resources/read", ID: `"` + seeded[2] + `"`, Name: "http://h/?token=" + seeded[6], Session: "s1"}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	file := fileBytes(t, path)
	for _, s := range seeded {
		if bytes.Contains(file, []byte(s)) {
			t.Errorf("%s is in the file", s)
		}
	}
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var n int
	if err := r.db.QueryRowContext(context.Background(), "SELECT count(*) FROM exchange WHERE rpc_method = 'resources/read' AND session = 's1'").Scan(&n); err != nil || n != len(exs) {
		t.Error(n, err)
	}
}
