package serve_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"syscall"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/source/pcap"
	"mcptrace/replay/serve"
)

// recordingOf returns a recording of talks.
func recordingOf(talks ...*capturetest.Talk) *serve.Recording {
	rec := &serve.Recording{}
	for _, ex := range capturetest.Exchanges(talks...) {
		rec.Add(ex, capture.Read(ex))
	}
	return rec
}

// recordingFrom returns a recording of a capture file.
func recordingFrom(t testing.TB, path string) *serve.Recording {
	t.Helper()
	rec := &serve.Recording{}
	r := &capture.Recognizer{Out: rec.Add}
	if _, err := pcap.Read(context.Background(), []pcap.Input{{Path: path}}, &capture.Assembly{Sink: r.Add}, pcap.Options{}); err != nil {
		t.Fatal(err)
	}
	r.Close()
	return rec
}

func start(t testing.TB, rec *serve.Recording, o serve.Options) *serve.Server {
	t.Helper()
	s, err := serve.Start(rec, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// client is a raw connection.
type client struct {
	net.Conn
	t testing.TB
}

func dial(t testing.TB, s *serve.Server) *client {
	t.Helper()
	u, _ := url.Parse(s.URL())
	c, err := net.Dial("tcp", u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(20 * time.Second))
	return &client{c, t}
}

// ask sends raw requests.
func (c *client) ask(raw ...string) *client {
	c.t.Helper()
	for _, r := range raw {
		if _, err := io.WriteString(c, r); err != nil {
			c.t.Fatal(err)
		}
	}
	return c
}

// get reads n bytes.
func (c *client) get(n int) string {
	c.t.Helper()
	b := make([]byte, n)
	k, err := io.ReadFull(c, b)
	if err != nil {
		c.t.Fatalf("read %d of %d bytes %q: %v", k, n, b[:k], err)
	}
	return string(b)
}

// rest reads up to the end and says how that came: fin or rst.
func (c *client) rest() (string, string) {
	c.t.Helper()
	b, err := io.ReadAll(c)
	switch {
	case err == nil:
		return string(b), "fin"
	case errors.Is(err, syscall.ECONNRESET):
		return string(b), "rst"
	}
	c.t.Fatalf("read %q: %v", b, err)
	return "", ""
}

// until reads up to and with text.
func (c *client) until(text string) string {
	c.t.Helper()
	var b []byte
	x := make([]byte, 1)
	for !bytes.HasSuffix(b, []byte(text)) {
		if _, err := c.Read(x); err != nil {
			c.t.Fatalf("read up to %q, got %q: %v", text, b, err)
		}
		b = append(b, x[0])
	}
	return string(b)
}

// silent reports whether nothing comes, and the connection stays open, for a while.
func (c *client) silent() bool {
	c.SetReadDeadline(time.Now().Add(150 * time.Millisecond))
	defer c.SetReadDeadline(time.Now().Add(20 * time.Second))
	_, err := c.Read(make([]byte, 1))
	var ne net.Error
	return errors.As(err, &ne) && ne.Timeout()
}

func pay(id string) string {
	return capturetest.Post("/mcp", capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"amount":5}}`))
}

// payTalk is one call with two events, one transfer chunk each, that ends as told.
func payTalk(port uint16, id string, end func(*capturetest.Talk)) *capturetest.Talk {
	k := capturetest.NewTalk(port).Ask(pay(id)).Wait(10 * time.Millisecond).Answer(capturetest.Stream()).
		Answer(capturetest.Chunk(capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`)))).Wait(30 * time.Millisecond).
		Answer(capturetest.Chunk(capturetest.Event(capturetest.Text(id, "paid")))).Wait(20 * time.Millisecond)
	end(k)
	return k
}

func clean(k *capturetest.Talk) { k.Answer(capturetest.LastChunk) }

func payWire(id string) string {
	return capturetest.Stream() + capturetest.Chunk(capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`))) +
		capturetest.Chunk(capturetest.Event(capturetest.Text(id, "paid"))) + capturetest.LastChunk
}

func call(t *testing.T, plays []serve.Play, k int) serve.Play {
	t.Helper()
	for _, p := range plays {
		if p.ID != "" {
			if k == 0 {
				return p
			}
			k--
		}
	}
	t.Fatalf("no such call among %s", fmt.Sprint(plays))
	return serve.Play{}
}
