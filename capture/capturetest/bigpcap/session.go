package bigpcap

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"mcptrace/capture/capturetest"
)

const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
)

// session is one MCP client.
type session struct {
	g      *generator
	host   netip.Addr
	number int
	modern bool
	id     int // of the last call
	flow   *flow
}

// session plays a client from its first message to its last.
func (g *generator) session(at time.Duration) {
	s := g.open(at)
	for range 2 + g.rng.IntN(10) {
		s.flow.now += g.upTo(400 * time.Millisecond)
		s.connect()
		s.work()
	}
	s.connect()
	s.flow.now += 50 * time.Millisecond
	if !s.modern && g.rng.IntN(3) == 0 {
		g.truth.Totals.Exchanges++
		s.flow.send(client, "DELETE /mcp HTTP/1.1\r\nHost: mcp.example\r\n"+strings.Join(s.headers("", ""), "\r\n")+"\r\n\r\n")
		s.flow.send(server, "HTTP/1.1 204 No Content\r\n\r\n")
	}
	s.flow.fin(client)
}

// openCall is a session whose call is in flight when the capture ends.
func (g *generator) openCall(at time.Duration) {
	s := g.open(at)
	s.flow.send(client, s.call(s.newOrder()))
	s.flow.send(server, capturetest.Stream())
	g.truth.Totals.Unknown++
}

// open starts a client: with a handshake, or asking the server what it can.
func (g *generator) open(at time.Duration) *session {
	g.truth.Sessions++
	s := &session{g: g, host: g.host(), number: g.truth.Sessions, modern: g.rng.IntN(3) == 0}
	s.flow = g.newFlow(at, s.host, g.server(8080))
	if s.modern {
		s.discover()
	} else {
		s.initialize()
	}
	return s
}

// connect makes a new connection where the last one is closed.
func (s *session) connect() {
	if s.flow.closed {
		s.flow = s.g.newFlow(s.flow.now, s.host, s.flow.addr[server])
	}
}

// headers returns the header lines of a request: the session, and what it calls.
func (s *session) headers(method, name string) []string {
	var h []string
	if s.modern {
		h = append(h, "MCP-Protocol-Version: "+modern, "Mcp-Method: "+method)
		if name != "" {
			h = append(h, "Mcp-Name: "+name)
		}
		return h
	}
	return []string{fmt.Sprintf("Mcp-Session-Id: session-%d", s.number), "MCP-Protocol-Version: " + legacy}
}

func (s *session) initialize() {
	g, f := s.g, s.flow
	s.id++
	g.count(1)
	f.send(client, capturetest.Post("/mcp", capturetest.Call(fmt.Sprint(s.id), "initialize",
		`{"protocolVersion":"`+legacy+`","capabilities":{},"clientInfo":{"name":"generated","version":"1"}}`)))
	f.now += 20*time.Millisecond + g.upTo(200*time.Millisecond)
	answer := capturetest.Result(fmt.Sprint(s.id), `{"protocolVersion":"`+legacy+`","capabilities":{"tools":{}},"serverInfo":{"name":"generator","version":"1"},`+s.greeting()+`}`)
	f.send(server, capturetest.Stream(fmt.Sprintf("Mcp-Session-Id: session-%d", s.number)))
	answered := f.send(server, capturetest.Chunk(capturetest.Event(answer)))
	if g.rng.IntN(5) == 0 {
		f.now += 500*time.Millisecond + g.upTo(9500*time.Millisecond)
	}
	g.truth.delivered(f.send(server, capturetest.LastChunk)-answered, true)
	g.truth.Totals.Exchanges++
	f.send(client, capturetest.Post("/mcp", capturetest.Note("notifications/initialized", ""), s.headers("", "")...))
	f.now += time.Millisecond
	f.send(server, capturetest.Accepted())
}

func (s *session) discover() {
	g, f := s.g, s.flow
	s.id++
	g.count(1)
	f.send(client, capturetest.Post("/mcp", capturetest.Call(fmt.Sprint(s.id), "server/discover", `{`+s.meta(0)+`}`), s.headers("server/discover", "")...))
	f.now += time.Millisecond
	f.send(server, capturetest.JSON(capturetest.Result(fmt.Sprint(s.id), `{"resultType":"complete","supportedVersions":["`+modern+`"],"capabilities":{"tools":{}},`+s.greeting()+`}`)))
	g.truth.delivered(0, false)
}

// greeting makes the answer to an opening unlike all others: equal ones nested in time look like hops of one call.
func (s *session) greeting() string {
	return fmt.Sprintf(`"instructions":"You are client %d."`, s.number)
}

// count counts exchanges that carry a call.
func (g *generator) count(n int) {
	g.truth.Totals.Exchanges += n
	g.truth.Totals.Calls += n
}

// meta returns the member _meta of a request's params.
func (s *session) meta(token int) string {
	m := fmt.Sprintf(`"progressToken":%d`, token)
	if s.modern {
		m += `,"io.modelcontextprotocol/protocolVersion":"` + modern + `","io.modelcontextprotocol/clientInfo":{"name":"generated","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}`
	}
	return `"_meta":{` + m + `}`
}

// newOrder returns an argument that no call has had.
func (s *session) newOrder() int { return s.number*1000 + s.id }

// call returns a request to charge a card for an order, and counts it.
func (s *session) call(order int) string {
	s.id++
	s.g.count(1)
	params := fmt.Sprintf(`{"name":"charge_card","arguments":{"order":%d,"note":%q},%s}`, order, s.g.text[order%1000:][:order%40], s.meta(s.id))
	return capturetest.Post("/mcp", capturetest.Call(fmt.Sprint(s.id), "tools/call", params), s.headers("tools/call", "charge_card")...)
}
