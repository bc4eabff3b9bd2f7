package serve_test

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/replay/serve"
)

// overHTTP2 is a call that was recorded over HTTP/2 and ended so.
func overHTTP2(end capture.Ending, withTLS bool) *serve.Recording {
	conn := &capture.Conn{}
	if withTLS {
		conn.TLS = &capture.TLSInfo{Readable: true}
	}
	ex := &capture.Exchange{Conn: conn, Proto: "2", Stream: 1, Start: 1, Ending: end}
	message := func(m *capture.Message, head, body string, at time.Duration, from capture.Side) {
		m.Wire.Append([]byte(head + body))
		m.Head, m.HeadEnd = capture.ParseHead([]byte(head), from, "POST"), int64(len(head))
		m.Body = []capture.Span{{Start: m.HeadEnd, End: m.Wire.Len()}}
		m.Chunks = []capture.Chunk{{At: at}, {Off: m.HeadEnd, At: 2 * at}}
	}
	message(&ex.Request, "POST /mcp HTTP/2\r\nhost: x\r\ncontent-type: application/json\r\n\r\n", capturetest.Call("1", "tools/call", `{"name":"pay"}`), 0, capture.Client)
	message(&ex.Response, "HTTP/2 200\r\ncontent-type: text/event-stream\r\nx-odd: 1\r\n\r\n", capturetest.Event(capturetest.Text("1", "paid")), 10*time.Millisecond, capture.Server)
	ex.Request.Complete, ex.Response.Complete = true, end.Kind == capture.EndClean
	rec := &serve.Recording{}
	rec.Add(ex, capture.Read(ex))
	return rec
}

func payOver(t *testing.T, tr http.RoundTripper, url, id string) (*http.Response, string, error) {
	t.Helper()
	q, _ := http.NewRequest("POST", url, strings.NewReader(capturetest.Call(id, "tools/call", `{"name":"pay"}`)))
	r, err := (&http.Client{Transport: tr, Timeout: 10 * time.Second}).Do(q)
	if err != nil {
		return nil, "", err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	return r, string(body), err
}

func h2c() *http.Transport {
	p := new(http.Protocols)
	p.SetUnencryptedHTTP2(true)
	return &http.Transport{Protocols: p}
}

func TestHTTP2(t *testing.T) {
	clean := capture.Ending{Kind: capture.EndClean, At: 30 * time.Millisecond}
	want := capturetest.Event(capturetest.Text(`"live"`, "paid"))
	for _, tlsToo := range []bool{false, true} {
		s := start(t, overHTTP2(clean, tlsToo), serve.Options{})
		tr := h2c()
		if tlsToo {
			pool := x509.NewCertPool()
			pool.AppendCertsFromPEM(s.Certificate())
			tr = &http.Transport{ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{RootCAs: pool}}
		}
		r, body, err := payOver(t, tr, s.URL(), `"live"`)
		if err != nil {
			t.Fatal(err)
		}
		if r.ProtoMajor != 2 || body != want || r.Header.Get("X-Odd") != "1" {
			t.Errorf("TLS %v: got %s, %v, %q", tlsToo, r.Proto, r.Header, body)
		}
		tr.CloseIdleConnections()
	}
	s := start(t, overHTTP2(clean, false), serve.Options{})
	r, body, err := payOver(t, &http.Transport{}, s.URL(), `"live"`)
	if err != nil || r.ProtoMajor != 1 || body != want {
		t.Errorf("to a client of HTTP/1.1: got %v, %q, %v", r, body, err)
	}
	s = start(t, recordingOf(payTalk(1, "7", func(k *capturetest.Talk) { k.Answer(capturetest.LastChunk) })), serve.Options{Speed: serve.Max})
	q := strings.NewReader(capturetest.Call("8", "tools/call", `{"name":"pay","arguments":{"amount":5}}`))
	r, err = (&http.Client{Transport: h2c()}).Post(s.URL(), "application/json", q)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r.Body)
	r.Body.Close()
	if err != nil || r.ProtoMajor != 2 || !strings.HasSuffix(string(text), capturetest.Event(capturetest.Text("8", "paid"))) {
		t.Errorf("HTTP/1.1 to a client of HTTP/2: got %q, %v", text, err)
	}
}

func TestHTTP2Endings(t *testing.T) {
	end := func(kind capture.EndKind, how capture.How, code uint32) capture.Ending {
		return capture.Ending{Kind: kind, By: "server", How: how, Code: code, At: 30 * time.Millisecond}
	}
	s := start(t, overHTTP2(end(capture.EndH2RST, capture.RST, 11), false), serve.Options{})
	_, body, err := payOver(t, h2c(), s.URL(), "1")
	var se http2.StreamError
	if body != capturetest.Event(capturetest.Text("1", "paid")) || err == nil || !errors.As(err, &se) && !strings.Contains(err.Error(), "ENHANCE_YOUR_CALM") {
		t.Errorf("reset of the stream: got %q, %v", body, err)
	}
	s = start(t, overHTTP2(end(capture.EndFIN, capture.FIN, 0), false), serve.Options{})
	if _, body, err = payOver(t, h2c(), s.URL(), "1"); body != capturetest.Event(capturetest.Text("1", "paid")) || err == nil {
		t.Errorf("FIN: got %q, %v", body, err)
	}
	s = start(t, overHTTP2(capture.Ending{Kind: capture.EndClean}, false), serve.Options{Cuts: []serve.Cut{{At: serve.AtByte(10), End: serve.RST}}})
	if _, body, err = payOver(t, h2c(), s.URL(), "1"); len(body) != 10 || err == nil {
		t.Errorf("cut: got %q, %v", body, err)
	}
}
