package capture

import (
	"fmt"
	"net/netip"
	"os"
	"runtime"
	"strings"
	"testing"
)

// TestRequestAfterServerReset: a client may have sent a request before it learnt that the server had reset.
func TestRequestAfterServerReset(t *testing.T) {
	var got []*Exchange
	a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
	d := a.Connection(&Conn{Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
	at := Instant(1e9)
	next := func() Stamp { at += 1e6; return Stamp{at, at, int64(at / 1e6)} }
	d.Data(Client, []byte(getRequest), next())
	d.Ack(Client, int64(len(getRequest)), false, next())
	d.Data(Server, []byte(sseResponse), next())
	d.Ack(Server, int64(len(sseResponse)), false, next())
	d.End(Server, RST, next())
	d.Data(Client, []byte(getRequest), next())
	d.Close(next())
	if len(got) != 2 {
		t.Fatalf("%d exchanges, want 2", len(got))
	}
}

// TestOneDirectionIsNoCut: exchanges that nobody acknowledges in the capture are given up early, and nothing is lost by it.
func TestOneDirectionIsNoCut(t *testing.T) {
	n := 0
	a := &Assembly{Sink: func(*Exchange) { n++ }}
	d := a.Connection(&Conn{MidStart: true, Client: netip.MustParseAddrPort("192.0.2.1:1"), Server: netip.MustParseAddrPort("192.0.2.2:80")})
	at := Instant(1e9)
	for i := range 2 * settleLimit {
		at += 1e6
		d.Data(Server, []byte(sseResponse), Stamp{at, at, int64(i)})
	}
	d.Close(Stamp{at, at, 0})
	if a.Cuts() != 0 || n != 2*settleLimit {
		t.Errorf("%d exchanges, %d cuts", n, a.Cuts())
	}
}

// TestRoomOfFewMessages: a reading of one message does not hold on to the room in which thousands were collected.
func TestRoomOfFewMessages(t *testing.T) {
	build := func(n int) *Exchange {
		body := strings.Repeat(`data: {"jsonrpc":"2.0","method":"notifications/progress"}`+"\n\n", n)
		var got []*Exchange
		a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
		tell(a, []talk{{Client, getRequest}, {Server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n%s", len(body), body)}}, 1<<20, nil)
		return got[0]
	}
	Read(build(2500)).Only(func(*Inbound) bool { return false })
	if r := Read(build(1)); cap(r.Messages) > 32 {
		t.Errorf("room for %d messages", cap(r.Messages))
	}
}

// TestManyMembers: what is noted of a hostile object is bounded.
func TestManyMembers(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"result":{` + strings.Repeat(`"":0,`, 1<<20) + `"isError":true}}`
	var got []*Exchange
	a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
	tell(a, []talk{{Client, getRequest}, {Server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)) + body}}, 1<<20, nil)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r := Read(got[0])
	runtime.ReadMemStats(&after)
	if len(r.Messages) != 1 || !r.Messages[0].Result.IsError {
		t.Errorf("%+v", r.Messages)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 4*uint64(len(body)) {
		t.Errorf("%d bytes for a body of %d", n, len(body))
	}
}

// TestWithoutTemporaryFiles: large messages stay in memory then, at no more than a few times their size.
func TestWithoutTemporaryFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	t.Setenv("TMP", t.TempDir()+"/none")
	spills.drop()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var b Blob
	piece := make([]byte, 1400)
	for b.Len() < 8<<20 {
		b.Append(piece)
	}
	runtime.ReadMemStats(&after)
	if b.Err() == nil {
		t.Skip("temporary files can be made here")
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 64<<20 {
		t.Errorf("%d MB allocated for 8", n>>20)
	}
}

// TestHeldWithoutBody: of a message that cannot be JSON-RPC the head is kept, and it is consistent in itself.
func TestHeldWithoutBody(t *testing.T) {
	page := strings.Repeat("<p>x</p>", 2000)
	var got []*Exchange
	a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
	tell(a, []talk{{Client, getRequest}, {Server, fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n", len(page)) + page}}, 1000, nil)
	m := &got[0].Response
	m.keepHead()
	if m.Wire.Len() != m.HeadEnd || len(m.Body) != 0 || !m.Cut {
		t.Errorf("%d bytes, head to %d, body %v, cut %v", m.Wire.Len(), m.HeadEnd, m.Body, m.Cut)
	}
	if c, ok := m.LastChunk(); !ok || c.Off >= m.Wire.Len() {
		t.Errorf("last chunk at %d of %d", c.Off, m.Wire.Len())
	}
}

// TestReadBackFails: a request whose bytes cannot be read back is not called bad.
func TestReadBackFails(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"` + strings.Repeat("x", 3<<20) + `"}}}`
	var got []*Exchange
	a := &Assembly{Sink: func(ex *Exchange) { got = append(got, ex) }}
	tell(a, []talk{{Client, fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n", len(body)) + body}, {Server, sseResponse}}, 1<<20, nil)
	got[0].Request.Wire.file.blocks[0].file = &spillFile{f: os.Stdout} // which cannot be read at a place
	if r := Read(got[0]); r.RequestBad || r.RequestWhole {
		t.Errorf("bad %v, whole %v", r.RequestBad, r.RequestWhole)
	}
}
