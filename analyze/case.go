package analyze

import (
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// Case is one exchange under analysis: what was seen of it, and what was made of it together with the others.
type Case struct {
	ID   int // position in the report, from 1
	Seq  int64
	Conn *capture.Conn

	Stream       uint32
	Proto        string
	Start        capture.Instant
	HTTP         *HTTP            // shared with others like it
	Header       *Header          // shared with others like it
	noColon      time.Duration    // see replay.View
	hasBody      bool             // of the response
	Outcomes     []replay.Outcome // of policies that need the bytes
	End          capture.Ending
	Reset        capture.Instant // when the client reset this stream alone
	RequestEnd   time.Duration
	HeadAt       time.Duration // -1: no head
	LastByte     time.Duration // -1: no body byte
	RequestAcked bool
	HasRequest   bool
	Complete     bool    // the response's framing was complete
	First, Last  int64   // packets
	Identical    [8]byte // hash of the request as a whole, connection-specific headers left out
	Modern       bool
	Version      string
	Started      bool             // the server had sent progress or log messages for the call
	afterAnswer  *capture.Inbound // the first message behind the last answer

	Transport  string
	Session    *Session
	Group      *Session // the session, or where there is no id, its stand-in
	HopOf      *Case
	Hops       []*Case
	Break      *Break
	Hold       Hold
	Reissue    *Link
	RepeatedBy *Case
	Origin     *Case // of a resumed GET: the exchange whose stream it continues; over HTTP+SSE: the GET stream of a POST
	resumes    *Case // of a resumed GET: the stream that carried the event it names
	ResumedBy  *Case
	Cancelled  capture.Instant // when the client sent a note that cancels the call
	cancels    *Case           // of such a note: the call
	remarks    []remark        // see watch
	continues  *Case           // of a round with input: the exchange that asked for it
	afterIdle  time.Duration   // how long its connection had been idle before it; 0: not idle, or its first
	beside     int32           // other calls of the session in flight when it was sent
	Safety     Safety
	Hint       string // what the tool says of itself: read-only, idempotent, destructive, none; "": no tools/list was seen
	gist
	d     *detail // see detail, edit
	slot  int64   // where the pager put it
	Story *Story  // the logical call it belongs to; nil where the exchange says all
}

func (a *Analyzer) newCase(ex *capture.Exchange, rd *capture.Reading) *Case {
	c := &Case{
		Seq: ex.Seq, Conn: ex.Conn, Stream: ex.Stream, Proto: ex.Proto, Start: ex.Start, d: &detail{reading: rd, dirty: true}, End: ex.Ending, Reset: ex.ClientReset,
		RequestEnd: ex.RequestEnd(), HeadAt: -1, LastByte: rd.LastBody, HasRequest: ex.Request.Head != nil || ex.Proto == "stdio" && ex.Request.Wire.Len() > 0,
		Complete: ex.Response.Complete, Modern: capture.Modern(ex, rd), Version: intern(capture.Version(ex, rd)),
		Transport: "streamable-http",
	}
	c.HTTP, c.Header = a.envelope(ex)
	c.gist = gistOf(rd)
	if ex.Response.Head != nil && ex.Response.HeadEnd > 0 {
		c.HeadAt, _ = ex.Response.TimeAt(ex.Response.HeadEnd - 1)
	}
	if ex.Proto == "stdio" {
		c.Transport = "stdio"
		if first, ok := ex.Response.First(); ok {
			c.HeadAt = first.At // there is no head: the first byte stands in for it
		}
	}
	c.RequestAcked = ex.Request.AckedAt(ex.Request.Wire.Len()) >= 0
	c.First, c.Last = packets(ex)
	c.Identical = identity(ex, rd)
	c.watch(ex)
	c.trim()
	c.ownAnswers()
	e := replay.NewEnvelope(ex, rd)
	c.hasBody, c.noColon = e.HasBody, e.NoColon
	return c
}

// view returns what a client could have of the response.
func (c *Case) view() *replay.View {
	e := replay.Envelope{Modern: c.Modern, HasBody: c.hasBody, Status: c.HTTP.Status, HeadAt: c.HeadAt, NoColon: c.noColon, Ending: c.End}
	if c.Proto == "stdio" {
		e.HeadAt = -1
	}
	return e.View(c.R(), 0)
}

// trim takes from the reading what only the messages between answers can tell, and lets these go.
func (c *Case) trim() {
	answered := false
	c.R().Only(func(m *capture.Inbound) bool {
		if m.IsResponse() {
			answered, c.afterAnswer = true, nil
			return true
		}
		if m.Method == "notifications/progress" || m.Method == "notifications/message" {
			c.Started = true
		}
		if answered && c.afterAnswer == nil {
			x := *m
			c.afterAnswer = &x
		}
		return false
	})
	if n := len(c.R().Marks); c.Modern && n > 2 {
		c.R().Marks = []capture.EventMark{c.R().Marks[0], c.R().Marks[n-1]} // no rule asks for more where nothing can be resumed
	}
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
	if c.End.Kind == capture.EndOpen {
		return 0
	}
	return c.at(c.End.At)
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
