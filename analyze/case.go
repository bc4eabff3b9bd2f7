package analyze

import (
	"strings"
	"time"
	"unsafe"

	"mcptrace/capture"
	"mcptrace/replay"
)

// Case is one exchange under analysis: what was seen of it, and what was made of it together with the others.
//
// Of a large capture only this much of each exchange is in memory. Its facts stand in a mapped file, what is seldom asked
// for in its detail, and what few exchanges have in its ties.
type Case struct {
	ID int // position in the report, from 1
	*facts
	*ties
	*shape // shared with others like it
	Conn   *capture.Conn
	Header *Header  // shared with others like it
	Group  *Session // the session, or where there is no id, its stand-in
	d      *detail  // see detail, edit
}

func (a *Analyzer) newCase(ex *capture.Exchange, rd *capture.Reading) *Case {
	c := a.room()
	*c = Case{facts: a.arena.room(), ties: &untied, Conn: ex.Conn, d: &detail{reading: rd, dirty: true}}
	h, header := a.envelope(ex)
	c.shape, c.Header = a.shape(h, rd), header
	*c.facts = facts{
		Seq: ex.Seq, Stream: ex.Stream, Start: ex.Start, end: endingOf(ex.Ending), gist: a.gistOf(rd),
		RequestEnd: ex.RequestEnd(), HeadAt: -1, LastByte: rd.LastBody, HasRequest: ex.Request.Head != nil || ex.Proto == "stdio" && ex.Request.Wire.Len() > 0,
		Complete: ex.Response.Complete, Modern: capture.Modern(ex, rd),
	}
	if ex.ClientReset != 0 {
		c.tie().Reset = ex.ClientReset
	}
	if ex.Response.Head != nil && ex.Response.HeadEnd > 0 {
		c.HeadAt, _ = ex.Response.TimeAt(ex.Response.HeadEnd - 1)
	}
	if ex.Proto == "stdio" {
		c.transport = overStdio
		if first, ok := ex.Response.First(); ok {
			c.HeadAt = first.At // there is no head: the first byte stands in for it
		}
	}
	c.RequestAcked = ex.Request.AckedAt(ex.Request.Wire.Len()) >= 0
	c.First, c.d.last = packets(ex)
	c.d.identical, c.d.version = identity(ex, rd), intern(capture.Version(ex, rd))
	c.watch(ex)
	c.trim()
	c.ownAnswers()
	e := replay.NewEnvelope(ex, rd)
	c.hasBody, c.d.noColon = e.HasBody, e.NoColon
	return c
}

// casesAtOnce is for how many cases memory is made at a time: one by one they would be rounded up to what memory comes in.
const casesAtOnce = 8 << 10 / int(unsafe.Sizeof(Case{}))

// room returns memory for one more case.
func (a *Analyzer) room() *Case {
	if len(a.free) == 0 {
		a.free = make([]Case, casesAtOnce)
	}
	c := &a.free[0]
	a.free = a.free[1:]
	return c
}

// view returns what a client could have of the response.
func (c *Case) view() *replay.View {
	e := replay.Envelope{Modern: c.Modern, HasBody: c.hasBody, Status: c.HTTP.Status, HeadAt: c.HeadAt, NoColon: c.detail().noColon, Ending: c.End()}
	if c.Proto() == "stdio" {
		e.HeadAt = -1
	}
	return e.View(c.R(), 0)
}

// trim takes from the reading what only the messages between answers can tell, and lets these go.
func (c *Case) trim() {
	answered := false
	var next *capture.Inbound // behind the last answer
	c.R().Only(func(m *capture.Inbound) bool {
		if m.IsResponse() {
			answered, next = true, nil
			return true
		}
		if m.Method == "notifications/progress" || m.Method == "notifications/message" {
			c.Started = true
		}
		if answered && next == nil {
			x := *m
			next = &x
		}
		return false
	})
	if next != nil {
		c.tie().afterAnswer = next
	}
	if n := len(c.R().Marks); c.Modern && n > 2 {
		c.R().Marks = []capture.EventMark{c.R().Marks[0], c.R().Marks[n-1]} // no rule asks for more where nothing can be resumed
	}
}

// transport is a way in which MCP travels.
type transport uint8

const (
	streamableHTTP transport = iota
	httpSSE
	overStdio
)

var transports = [...]string{"streamable-http", "http+sse", "stdio"}

// Transport returns streamable-http, http+sse or stdio.
func (c *Case) Transport() string { return transports[c.transport] }

// Proto returns 1.0, 1.1, 2 or stdio.
func (c *Case) Proto() string { return c.HTTP.Version }

// Session returns the session whose id the exchange carries, nil where it has none.
func (c *Case) Session() *Session {
	if c.Group == nil {
		return nil
	}
	return c.Group.Session()
}

// packets returns the numbers of the first and the last packet of the exchange.
func packets(ex *capture.Exchange) (first, last int64) {
	if c, ok := ex.Request.First(); ok {
		first = c.Packet
	} else if c, ok := ex.Response.First(); ok {
		first = c.Packet
	}
	for _, m := range []*capture.Message{&ex.Request, &ex.Response} {
		if c, ok := m.LastChunk(); ok {
			last = max(last, c.Packet)
		}
	}
	return first, max(last, ex.Ending.Packet)
}

// call returns the request's message, or the first of a batch; nil where there is none.
func (c *Case) call() *capture.Call {
	if len(c.R().Calls) == 0 {
		return nil
	}
	return &c.R().Calls[0]
}

// method returns the JSON-RPC method, "" where there is none.
func (c *Case) method() string { return c.verb }

// isCall reports whether the exchange carries at least one call that is owed an answer.
func (c *Case) isCall() bool { return c.calls }

// at returns the absolute moment of a time since the start.
func (c *Case) at(d time.Duration) capture.Instant { return c.Start + capture.Instant(d) }

// over returns the absolute moment at which the exchange was over, 0 where the capture ended first.
func (c *Case) over() capture.Instant {
	if c.End().Kind == capture.EndOpen {
		return 0
	}
	return c.at(c.End().At)
}

// endpoint returns the address and path it was sent to.
func (c *Case) endpoint() capture.Endpoint {
	path, _, _ := strings.Cut(c.HTTP.Target, "?")
	return capture.Endpoint{Server: c.Conn.Server, Path: path}
}

// listens reports whether the exchange is a stream that is meant to stay open: a GET, or subscriptions/listen.
func (c *Case) listens() bool {
	return c.HTTP.Method == "GET" || c.method() == "subscriptions/listen"
}

// clientGone returns when the client had closed or reset, since the start; -1: it had not before the capture ended.
// HTTP/2: a reset of the stream counts, else the end of the connection.
func (c *Case) clientGone() time.Duration {
	gone := capture.Instant(0)
	if f := c.Conn.FirstClosing(capture.Client); f != nil {
		gone = f.At
	}
	if c.Reset != 0 && (gone == 0 || c.Reset < gone) {
		gone = c.Reset
	}
	if gone == 0 {
		return -1
	}
	return gone.Sub(c.Start)
}

// rtt returns the round trip between client and server, as far as it is known.
func (c *Case) rtt() time.Duration { return c.Conn.Vantage.RTTClient + c.Conn.Vantage.RTTServer }
