package capture

import (
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
)

// talk is a connection told to an Assembly: who said what, in order.
type talk struct {
	from Side
	text string
}

const (
	answer      = `data: {"jsonrpc":"2.0","id":1,"result":{"a":1}}` + "\n"
	getRequest  = "POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 46\r\n\r\n" + `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`
	sseResponse = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"30\r\n" + answer + "\r\n1\r\n\n\r\n0\r\n\r\n"
)

// tell plays a talk in pieces of at most n bytes, one millisecond apart, each acknowledged at once.
func tell(a *Assembly, parts []talk, n int, end func(d Duplex, s Stamp)) {
	c := &Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")}
	d := a.Connection(c)
	var off [2]int64
	at := Instant(1e9)
	packet := int64(0)
	for _, p := range parts {
		for b := []byte(p.text); len(b) > 0; {
			k := min(n, len(b))
			at += 1e6
			packet++
			s := Stamp{at, at, packet}
			d.Data(p.from, b[:k], s)
			off[p.from] += int64(k)
			d.Ack(p.from, off[p.from], false, s)
			b = b[k:]
		}
	}
	s := Stamp{at + 1e6, at + 1e6, packet + 1}
	if end != nil {
		end(d, s)
	}
	d.Close(s)
}

func describe(exs []*Exchange) string {
	var b strings.Builder
	for _, ex := range exs {
		rd := Read(ex)
		fmt.Fprintf(&b, "%s %s %s %d %s/%s body %d", ex.Proto, ex.Request.Head.Method, ex.Request.Head.Target, ex.Response.Head.Status, ex.Ending.Kind, ex.Ending.By, rd.Decoded)
		for _, m := range rd.Messages {
			fmt.Fprintf(&b, " %s %s [%d,%d)", m.Level, m.ID, m.Start, m.End)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func TestPairAnySplit(t *testing.T) {
	parts := []talk{{Client, getRequest}, {Server, "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"}, {Server, sseResponse}, {Client, getRequest}, {Server, sseResponse}}
	want := ""
	for n := 1; n < 400; n++ {
		var got []*Exchange
		tell(&Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}, parts, n, nil)
		if d := describe(got); want == "" {
			want = d
		} else if d != want {
			t.Fatalf("in pieces of %d:\n%s\nwant\n%s", n, d, want)
		}
	}
	if strings.Count(want, fmt.Sprintf("clean/ body %d dispatched 1 [0,%[1]d)", len(answer)+1)) != 2 {
		t.Errorf("got\n%s", want)
	}
}

func TestPairEndings(t *testing.T) {
	cut := sseResponse[:len(sseResponse)-5] // before the last chunk
	for _, c := range []struct {
		name     string
		response string
		by       Side
		how      How
		kind     EndKind
	}{
		{"server closes", cut, Server, FIN, EndFIN},
		{"server resets", cut, Server, RST, EndRST},
		{"client closes", cut, Client, FIN, EndFIN},
		{"client resets", cut, Client, RST, EndRST},
		{"alert", cut, Server, FatalAlert, EndTLSAlert},
		{"no response", "", Server, FIN, EndNone},
		{"no response, reset", "", Server, RST, EndNone},
		{"body until close", "HTTP/1.0 200 OK\r\n\r\nabc", Server, FIN, EndCloseDelimited},
		{"body until close, reset", "HTTP/1.0 200 OK\r\n\r\nabc", Server, RST, EndCloseDelimited},
		{"whole", sseResponse, Server, FIN, EndClean},
		{"never", cut, Server, NoEnd, EndOpen},
	} {
		var got []*Exchange
		parts := []talk{{Client, getRequest}, {Server, c.response}}
		tell(&Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}, parts, 1000, func(d Duplex, s Stamp) {
			if c.how != NoEnd {
				d.End(c.by, c.how, s)
			}
		})
		if len(got) != 1 || got[0].Ending.Kind != c.kind {
			t.Errorf("%s: got %d exchanges, ending %+v; want %s", c.name, len(got), got[0].Ending, c.kind)
			continue
		}
		if k := c.kind; k != EndClean && k != EndOpen && got[0].Ending.By != c.by.String() {
			t.Errorf("%s: ended by %q, want %s", c.name, got[0].Ending.By, c.by)
		}
	}
}

// A close by the client is what ended the exchange, whatever the server does afterwards.
func TestPairFirstEndingCounts(t *testing.T) {
	var got []*Exchange
	tell(&Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}, []talk{{Client, getRequest}, {Server, sseResponse[:100]}}, 1000, func(d Duplex, s Stamp) {
		d.End(Client, FIN, s)
		s.Seen += 5e6
		d.End(Server, RST, s)
	})
	if e := got[0].Ending; e.Kind != EndFIN || e.By != "client" {
		t.Errorf("ending %+v, want the client's FIN", e)
	}
}

func TestPairAcknowledged(t *testing.T) {
	var got []*Exchange
	a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
	d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
	d.Data(Client, []byte(getRequest), Stamp{1e9, 1e9, 1})
	d.Data(Server, []byte(sseResponse), Stamp{2e9, 2e9, 2})
	d.Ack(Server, 100, false, Stamp{3e9, 3e9, 3})
	d.Ack(Server, int64(len(sseResponse)), true, Stamp{4e9, 4e9, 4}) // on a reset: proves nothing
	d.Close(Stamp{5e9, 5e9, 0})
	p := &got[0].Response
	if at := p.AckedAt(100); at != 2e9 {
		t.Errorf("byte 100 acknowledged after %v, want 2s", at)
	}
	if at := p.AckedAt(101); at != -1 {
		t.Errorf("byte 101 acknowledged after %v, want never", at)
	}
}

// A hole within a chunk leaves the framing in step; the answer it swallowed is not delivered.
func TestPairHole(t *testing.T) {
	for _, c := range []struct{ at, n int }{{len(sseResponse) - 40, 10}, {len(sseResponse) - 60, 1}} {
		var got []*Exchange
		a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
		d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
		d.Data(Client, []byte(getRequest), Stamp{1e9, 1e9, 1})
		d.Data(Server, []byte(sseResponse[:c.at]), Stamp{2e9, 2e9, 2})
		d.Missing(Server, int64(c.n), Stamp{2e9, 2e9, 3})
		d.Data(Server, []byte(sseResponse[c.at+c.n:]), Stamp{3e9, 3e9, 4})
		d.Close(Stamp{5e9, 5e9, 0})
		rd := Read(got[0])
		level := LevelNone
		if len(rd.Messages) > 0 {
			level = rd.Messages[0].Level
		}
		if level == LevelDispatched || !rd.Holed {
			t.Errorf("hole at %d: level %s, holed %v", c.at, level, rd.Holed)
		}
	}
}

// What is told of a connection is the same whichever way its bytes are cut into segments.
func TestPairRandomTraffic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var parts []talk
		for range 1 + rng.IntN(4) {
			parts = append(parts, talk{Client, getRequest}, talk{Server, sseResponse})
		}
		var a, b []*Exchange
		tell(&Assembly{Sink: func(ex *Exchange) { a = append(a, ex) }}, parts, 1<<20, nil)
		tell(&Assembly{Sink: func(ex *Exchange) { b = append(b, ex) }}, parts, 1+rng.IntN(90), nil)
		if describe(a) != describe(b) {
			t.Fatalf("whole:\n%s\nin pieces:\n%s", describe(a), describe(b))
		}
	}
}

// A request that proves to be none while its response is under way takes neither the response nor the next pair along.
func TestPairBrokenRequest(t *testing.T) {
	for _, broken := range []string{"POST /x\x00\r\n\r\n", "POST /x HTTP/9.9\r\n\r\n"} {
		var got []*Exchange
		a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
		d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
		d.Data(Client, []byte(broken[:8]), Stamp{1e9, 1e9, 1})
		d.Data(Server, []byte("HTTP/1.1 4"), Stamp{2e9, 2e9, 2})
		d.Data(Client, []byte(broken[8:]), Stamp{3e9, 3e9, 3})
		d.Data(Server, []byte("00 Bad Request\r\nContent-Length: 0\r\n\r\n"), Stamp{4e9, 4e9, 4})
		d.Data(Client, []byte(getRequest), Stamp{5e9, 5e9, 5})
		d.Data(Server, []byte(sseResponse), Stamp{6e9, 6e9, 6})
		d.Close(Stamp{7e9, 7e9, 0})
		n := 0
		for _, ex := range got {
			if ex.Request.Complete && ex.Response.Head != nil && ex.Response.Head.Status == 200 {
				n++
			}
		}
		if n != 1 {
			t.Errorf("after %q: %d whole exchanges, want 1 of %d", broken, n, len(got))
		}
	}
}

// Where only requests are captured, they do not pile up.
func TestPairRequestsOnly(t *testing.T) {
	n := 0
	a := &Assembly{Sink: func(*Exchange) { n++ }}
	d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
	for i := range 3 * maxQueue {
		d.Data(Client, []byte(getRequest), Stamp{Instant(i), Instant(i), int64(i)})
	}
	if n < maxQueue {
		t.Errorf("%d of %d requests were let go", n, 3*maxQueue)
	}
	d.Close(Stamp{})
	if n != 3*maxQueue {
		t.Errorf("%d of %d requests were handed on", n, 3*maxQueue)
	}
}
