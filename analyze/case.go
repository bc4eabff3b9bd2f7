package analyze

import (
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
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
	HTTP         HTTP
	Header       Header
	R            *capture.Reading
	View         *replay.View
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
	Answers    []Answer // one per call of the exchange
	Answer     Answer   // the last of them
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
	Story      *Story // the logical call it belongs to; nil where the exchange says all
}

// Header holds the header fields that a rule may ask for. Secrets in it never leave the process.
type Header struct {
	Session      string // Mcp-Session-Id of the request
	NewSession   string // … of the response
	LastEventID  string
	Version      string // MCP-Protocol-Version
	Method, Name string // Mcp-Method, Mcp-Name
	HasMethod    bool
	HasName      bool
	AcceptsJSON  bool
	AcceptsSSE   bool
	AcceptsAny   bool
	HasAccept    bool
	UserAgent    string
	Accept       string  // in lower case
	PassedOn     bool    // Via, Forwarded or X-Forwarded-For: a proxy sent it
	Principal    [8]byte // hash of Authorization; zero where there is none
	HasAuth      bool
	Idempotency  string
	Traceparent  string
	Challenge    bool // WWW-Authenticate
	RetryAfter   string
	Location     bool
	NoBuffering  bool // X-Accel-Buffering: no
	Host         string
	ServerName   string
}

func newCase(ex *capture.Exchange, rd *capture.Reading) *Case {
	c := &Case{
		Seq: ex.Seq, Conn: ex.Conn, Stream: ex.Stream, Proto: ex.Proto, Start: ex.Start, R: rd, End: ex.Ending, Reset: ex.ClientReset,
		RequestEnd: ex.RequestEnd(), HeadAt: -1, LastByte: rd.LastBody, HasRequest: ex.Request.Head != nil || ex.Proto == "stdio" && ex.Request.Wire.Len() > 0,
		Complete: ex.Response.Complete, Modern: capture.Modern(ex, rd), Version: intern(capture.Version(ex, rd)),
		Transport: "streamable-http",
	}
	c.HTTP, c.Header = httpOf(ex), headerOf(ex)
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
	if c.HeadAt >= 0 || c.HasRequest {
		c.View = replay.NewView(ex, rd, 0)
	}
	return c
}

// trim takes from the reading what only the messages between answers can tell, and lets these go: of a long stream there
// are thousands.
func (c *Case) trim() {
	kept := make([]capture.Inbound, 0, 1)
	last := int64(-1)
	for i := range c.R.Messages {
		m := &c.R.Messages[i]
		switch {
		case m.IsResponse():
			kept = append(kept, *m)
			last = m.End
			c.afterAnswer = nil
		case m.Method == "notifications/progress" || m.Method == "notifications/message":
			c.Started = true
			fallthrough
		default:
			if last >= 0 && c.afterAnswer == nil {
				x := *m
				c.afterAnswer = &x
			}
		}
	}
	c.R.Messages = kept
	if n := len(c.R.Marks); c.Modern && n > 2 {
		c.R.Marks = []capture.EventMark{c.R.Marks[0], c.R.Marks[n-1]} // no rule asks for more where nothing can be resumed
	}
}

func httpOf(ex *capture.Exchange) HTTP {
	h := HTTP{Version: ex.Proto, Framing: "none"}
	if q := ex.Request.Head; q != nil {
		h.Method, h.Target = intern(q.Method), intern(q.Target)
	}
	if p := ex.Response.Head; p != nil {
		h.Status, h.ContentType, h.ContentEncoding = p.Status, intern(p.Get("Content-Type")), intern(p.Get("Content-Encoding"))
		h.Framing = framings[p.Framing]
		if ex.Proto == "2" {
			h.Framing = "h2"
		}
	}
	return h
}

var framings = map[http1.Framing]string{http1.None: "none", http1.Length: "content-length", http1.Chunked: "chunked", http1.Close: "close", http1.Faulty: "none"}

func headerOf(ex *capture.Exchange) Header {
	var h Header
	if q := ex.Request.Head; q != nil {
		accept := strings.ToLower(strings.Join(q.Values("Accept"), ","))
		h.Accept, h.HasAccept = intern(accept), accept != ""
		h.PassedOn = q.Has("Via") || q.Has("Forwarded") || q.Has("X-Forwarded-For")
		h.AcceptsJSON = strings.Contains(accept, "application/json") || strings.Contains(accept, "application/*")
		h.AcceptsSSE = strings.Contains(accept, "text/event-stream") || strings.Contains(accept, "text/*")
		h.AcceptsAny = strings.Contains(accept, "*/*")
		h.Session, h.LastEventID = intern(q.Get("Mcp-Session-Id")), intern(q.Get("Last-Event-ID"))
		h.Version = intern(q.Get("MCP-Protocol-Version"))
		h.Method, h.Name, h.UserAgent, h.Host = intern(q.Get("Mcp-Method")), intern(q.Get("Mcp-Name")), intern(q.Get("User-Agent")), intern(q.Get("Host"))
		h.HasMethod, h.HasName = q.Has("Mcp-Method"), q.Has("Mcp-Name")
		h.Traceparent = intern(q.Get("traceparent"))
		if h.Idempotency = intern(q.Get("Idempotency-Key")); h.Idempotency == "" {
			h.Idempotency = intern(q.Get("X-Idempotency-Key"))
		}
		if a := q.Get("Authorization"); a != "" {
			h.Principal, h.HasAuth = hash8([]byte(a)), true
		}
	}
	if p := ex.Response.Head; p != nil {
		h.NewSession, h.RetryAfter = intern(p.Get("Mcp-Session-Id")), intern(p.Get("Retry-After"))
		h.Challenge, h.Location = p.Has("WWW-Authenticate"), p.Has("Location")
		h.NoBuffering = strings.EqualFold(p.Get("X-Accel-Buffering"), "no")
		h.ServerName = intern(p.Get("Server"))
	}
	return h
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
	if len(c.R.Calls) == 0 {
		return nil
	}
	return &c.R.Calls[0]
}

// method returns the JSON-RPC method, "" where there is none.
func (c *Case) method() string {
	if k := c.call(); k != nil && c.R.Kind != capture.KindBatch {
		return k.Method
	}
	return ""
}

// isCall reports whether the exchange carries at least one call that is owed an answer.
func (c *Case) isCall() bool {
	for i := range c.R.Calls {
		if c.R.Calls[i].IsCall() {
			return true
		}
	}
	return false
}

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
