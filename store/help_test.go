package store

import (
	"bytes"
	"context"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"mcptrace/capture"
)

const epoch = capture.Instant(1_790_000_000_123_456_789)

var created = time.Unix(1_790_000_000, 987654321).UTC()

// talk pairs what is said on one connection into exchanges.
type talk struct {
	*capture.Conn
	assembly *capture.Assembly
	duplex   capture.Duplex
	now      capture.Instant
	packet   int64
	sent     [2]int64
}

// newTalk begins a connection of the assembly.
func newTalk(a *capture.Assembly, id int64) *talk {
	c := &capture.Conn{ID: id, Client: netip.MustParseAddrPort("10.0.0.1:40000"), Server: netip.MustParseAddrPort("[2001:db8::1]:8080"),
		Open: epoch, Last: epoch + 9, Vantage: capture.Vantage{Kind: "network", RTTClient: 15000, RTTServer: 13000}}
	t := &talk{Conn: c, assembly: a, now: epoch + capture.Instant(id)}
	t.duplex = a.Connection(c)
	return t
}

func (t *talk) stamp() capture.Stamp {
	t.now += 1_000_003
	t.packet++
	return capture.Stamp{Seen: t.now - 7, At: t.now, Packet: t.packet}
}

// say sends text and has it acknowledged.
func (t *talk) say(from capture.Side, text string) {
	t.duplex.Data(from, []byte(text), t.stamp())
	t.sent[from] += int64(len(text))
	t.duplex.Ack(from, t.sent[from], false, t.stamp())
}

func (t *talk) post(target, header, body string) {
	t.say(capture.Client, fmt.Sprintf("POST %s HTTP/1.1\r\nHost: h\r\nAccept: application/json, text/event-stream\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", target, header, len(body), body))
}

func (t *talk) answer(header, body string) {
	t.say(capture.Server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", header, len(body), body))
}

// stream answers with server-sent events, each of which is a transfer chunk.
func (t *talk) stream(header string, events ...string) {
	t.say(capture.Server, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"+header+"Transfer-Encoding: chunked\r\n\r\n")
	for _, e := range events {
		t.say(capture.Server, fmt.Sprintf("%x\r\n%s\r\n", len(e), e))
	}
}

// finish ends a stream.
func (t *talk) finish(trailers string) { t.say(capture.Server, "0\r\n"+trailers+"\r\n") }

// gather returns an Assembly and the exchanges that it has settled.
func gather() (*capture.Assembly, *[]*capture.Exchange) {
	var out []*capture.Exchange
	return &capture.Assembly{Sink: func(ex *capture.Exchange) { out = append(out, ex) }}, &out
}

// recordAll writes exchanges to a new file and closes it.
func recordAll(t testing.TB, o Options, exs []*capture.Exchange, conns []*capture.Conn) string {
	t.Helper()
	return record(t, o, exs, conns, Hints{})
}

// recordWith does so with hints.
func recordWith(t testing.TB, exs []*capture.Exchange, conns []*capture.Conn, h Hints) string {
	t.Helper()
	return record(t, Options{}, exs, conns, h)
}

func record(t testing.TB, o Options, exs []*capture.Exchange, conns []*capture.Conn, h Hints) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{Tool: "v1", Created: created, Source: "pcap"}, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, ex := range exs {
		if err := w.AddWith(ex, h); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Finish([]Input{{Path: "a.pcap", Kind: "pcap"}}, conns); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// readAll reads all exchanges of a recording.
func readAll(t testing.TB, path string) []*capture.Exchange {
	t.Helper()
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	return exchangesOf(t, r)
}

func exchangesOf(t testing.TB, r *Reader) (out []*capture.Exchange) {
	t.Helper()
	for ex, err := range r.Exchanges(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, ex)
	}
	return out
}

// difference says where two exchanges differ, in all but what is not kept; "" if nowhere.
func difference(a, b *capture.Exchange) string {
	if d := differentMessage(&a.Request, &b.Request); d != "" {
		return "request: " + d
	}
	if d := differentMessage(&a.Response, &b.Response); d != "" {
		return "response: " + d
	}
	if !reflect.DeepEqual(a.Conn, b.Conn) {
		return fmt.Sprintf("connection: %+v instead of %+v", b.Conn, a.Conn)
	}
	x, y := *a, *b
	x.Conn, x.Request, x.Response = nil, capture.Message{}, capture.Message{}
	y.Conn, y.Request, y.Response = nil, capture.Message{}, capture.Message{}
	if !reflect.DeepEqual(x, y) {
		return fmt.Sprintf("%+v instead of %+v", y, x)
	}
	return ""
}

func differentMessage(a, b *capture.Message) string {
	if !sameHead(a.Head, b.Head) {
		return fmt.Sprintf("head %+v instead of %+v", b.Head, a.Head)
	}
	if !bytes.Equal(bytesOf(a), bytesOf(b)) {
		return fmt.Sprintf("bytes %q instead of %q", bytesOf(b), bytesOf(a))
	}
	x, y := *a, *b
	x.Head, x.Wire, x.Chunks = nil, capture.Blob{}, chunksOf(a)
	y.Head, y.Wire, y.Chunks = nil, capture.Blob{}, chunksOf(b)
	for _, m := range []*capture.Message{&x, &y} { // none is none
		m.Body, m.Holes, m.Acks = append([]capture.Span(nil), m.Body...), append([]capture.Span(nil), m.Holes...), append([]capture.Ack(nil), m.Acks...)
	}
	if !reflect.DeepEqual(x, y) {
		return fmt.Sprintf("%+v instead of %+v", y, x)
	}
	return ""
}

func bytesOf(m *capture.Message) []byte { return m.Wire.Bytes(0, m.Wire.Len()) }

// chunksOf returns the chunks without what is not exported.
func chunksOf(m *capture.Message) (out []capture.Chunk) {
	for _, c := range m.Chunks {
		out = append(out, capture.Chunk{Off: c.Off, Packet: c.Packet, Seen: c.Seen, At: c.At})
	}
	return out
}

// sameExchanges fails the test where got are not the exchanges want, in order of Seq.
func sameExchanges(t *testing.T, got, want []*capture.Exchange) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d exchanges instead of %d", len(got), len(want))
	}
	bySeq := map[int64]*capture.Exchange{}
	for _, ex := range want {
		bySeq[ex.Seq] = ex
	}
	last := int64(-1 << 62)
	for _, ex := range got {
		if ex.Seq <= last {
			t.Errorf("seq %d after %d", ex.Seq, last)
		}
		last = ex.Seq
		if bySeq[ex.Seq] == nil {
			t.Fatalf("seq %d was never added", ex.Seq)
		}
		if d := difference(bySeq[ex.Seq], ex); d != "" {
			t.Errorf("seq %d: %s", ex.Seq, d)
		}
	}
}

func fileBytes(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
