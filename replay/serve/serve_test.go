package serve_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/replay/serve"
)

func TestSameBytes(t *testing.T) {
	s := start(t, recordingOf(payTalk(1, "7", clean)), serve.Options{})
	begun := time.Now()
	if got := dial(t, s).ask(pay("7")).get(len(payWire("7"))); got != payWire("7") {
		t.Errorf("got %q, want %q", got, payWire("7"))
	}
	if d := time.Since(begun); d < 60*time.Millisecond {
		t.Errorf("the recorded pauses add up to 60 ms; it took %v", d)
	}
}

func TestLiveID(t *testing.T) {
	for _, id := range []string{"8", "1234567", `"abc"`, `"q\"u"`} {
		s := start(t, recordingOf(payTalk(1, "70", clean)), serve.Options{Speed: serve.Max})
		if got := dial(t, s).ask(pay(id)).get(len(payWire(id))); got != payWire(id) {
			t.Errorf("id %s: got %q, want %q", id, got, payWire(id))
		}
	}
}

func TestIDAcrossChunks(t *testing.T) {
	event := capturetest.Event(capturetest.Text("4567", "paid"))
	for cut := 1; cut < len(event); cut++ {
		k := capturetest.NewTalk(1).Ask(pay("4567")).Answer(capturetest.Stream()).
			Answer(capturetest.Chunk(event[:cut])).Answer(capturetest.Chunk(event[cut:]) + capturetest.LastChunk)
		for _, id := range []string{"4567", "9", `"a-long-one"`} {
			s := start(t, recordingOf(k), serve.Options{Speed: serve.Max})
			r, err := http.Post(s.URL(), "application/json", strings.NewReader(capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"amount":5}}`)))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			s.Close()
			if want := capturetest.Event(capturetest.Text(id, "paid")); err != nil || strings.ReplaceAll(string(body), `"id": `, `"id":`) != want && strings.Join(strings.Fields(string(body)), "") != strings.Join(strings.Fields(want), "") {
				t.Fatalf("cut %d, id %s: got %q (%v), want %q", cut, id, body, err, want)
			}
		}
	}
}

// TestGzip: the id is replaced in a compressed stream, and each event can be read as soon as it could when recorded.
func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	k := capturetest.NewTalk(1).Ask(pay("7")).Answer(capturetest.Stream("Content-Encoding: gzip"))
	events := []string{capturetest.Event(capturetest.Note("notifications/message", "{}")), capturetest.Event(capturetest.Text("7", "paid"))}
	for _, e := range events {
		io.WriteString(z, e)
		z.Flush()
		k.Answer(capturetest.Chunk(packed.String())).Wait(10 * time.Millisecond)
		packed.Reset()
	}
	rec := recordingOf(k.End(capture.Client, capture.FIN))
	for _, id := range []string{"7", `"another one"`} {
		s := start(t, rec, serve.Options{})
		q, _ := http.NewRequest("POST", s.URL(), strings.NewReader(capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"amount":5}}`)))
		q.Header.Set("Accept-Encoding", "gzip")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		u, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		want := events[0] + capturetest.Event(capturetest.Text(id, "paid"))
		got := make([]byte, len(want))
		if _, err := io.ReadFull(u, got); err != nil || string(got) != want {
			t.Errorf("id %s: got %q (%v), want %q", id, got, err, want)
		}
		r.Body.Close()
		s.Close()
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*capturetest.Talk)
		want string
	}{
		{"fin", func(k *capturetest.Talk) { k.End(capture.Server, capture.FIN) }, "fin"},
		{"rst", func(k *capturetest.Talk) { k.End(capture.Server, capture.RST) }, "rst"},
	} {
		s := start(t, recordingOf(payTalk(1, "7", c.end)), serve.Options{})
		got, how := dial(t, s).ask(pay("7")).rest()
		if want := strings.TrimSuffix(payWire("7"), capturetest.LastChunk); got != want || how != c.want {
			t.Errorf("%s: got %q ended by %s, want %q ended by %s", c.name, got, how, want, c.want)
		}
	}
	s := start(t, recordingOf(payTalk(1, "7", func(k *capturetest.Talk) { k.End(capture.Client, capture.FIN) })), serve.Options{Speed: serve.Max})
	c := dial(t, s).ask(pay("7"))
	c.get(len(payWire("7")) - len(capturetest.LastChunk))
	if !c.silent() {
		t.Error("the recorded client left: the stream is to stay open")
	}
}

func TestExpectContinue(t *testing.T) {
	s := start(t, recordingOf(payTalk(1, "7", clean)), serve.Options{Speed: serve.Max})
	head, body, _ := strings.Cut(capturetest.Post("/mcp", capturetest.Call("7", "tools/call", `{"name":"pay","arguments":{"amount":5}}`), "Expect: 100-continue"), "\r\n\r\n")
	c := dial(t, s).ask(head + "\r\n\r\n")
	if got := c.until("\r\n\r\n"); got != "HTTP/1.1 100 Continue\r\n\r\n" {
		t.Errorf("got %q", got)
	}
	if got := c.ask(body).get(len(payWire("7"))); got != payWire("7") {
		t.Errorf("got %q", got)
	}
}

func TestNothing(t *testing.T) {
	if _, err := serve.Start(&serve.Recording{}, serve.Options{}); err != serve.ErrNothing {
		t.Errorf("got %v", err)
	}
}
