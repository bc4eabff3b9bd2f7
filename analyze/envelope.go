package analyze

import (
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// Header holds the header fields that a rule may ask for. Secrets in it never leave the process.
type Header struct {
	Session string // Mcp-Session-Id of the request
	*Manner
	*Particulars
}

// Manner are the fields that most messages between a client and a server share.
type Manner struct {
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
	Challenge    bool // WWW-Authenticate
	RetryAfter   string
	Location     bool
	NoBuffering  bool // X-Accel-Buffering: no
	Host         string
	ServerName   string
}

// Particulars are the fields that are of one message, and that few have.
type Particulars struct {
	NewSession  string // Mcp-Session-Id of the response
	LastEventID string
	Idempotency string
	Traceparent string
}

// shape is what many exchanges have in common.
type shape struct {
	HTTP   *HTTP
	verb   string      // see method
	client *clientName // what the request says of its client, nil: nothing
}

// envelope returns what the heads of both messages say. Both results are shared and must not be changed.
func (a *Analyzer) envelope(ex *capture.Exchange) (*HTTP, *Header) {
	f := a.header
	*f.Manner, *f.Particulars, f.Session = Manner{}, Particulars{}, ""
	if q := ex.Request.Head; q != nil {
		f.request(q)
	}
	if p := ex.Response.Head; p != nil {
		f.response(p)
	}
	header := Header{f.Session, a.manners.share(*f.Manner, (*Manner).keep), a.particulars.share(*f.Particulars, (*Particulars).keep)}
	return a.https.share(httpOf(ex), (*HTTP).keep), a.headers.share(header, (*Header).keep)
}

// shape returns what an exchange with that envelope and reading has in common with others. It must not be changed.
func (a *Analyzer) shape(h *HTTP, r *capture.Reading) *shape {
	s := shape{HTTP: h}
	if len(r.Calls) > 0 {
		k := &r.Calls[0]
		if k.ClientName != "" {
			s.client = a.clients.share(clientName{k.ClientName, k.ClientVer}, func(n *clientName) { internAll(&n.name, &n.version) })
		}
		if r.Kind != capture.KindBatch {
			s.verb = k.Method
		}
	}
	return a.shapes.share(s, func(s *shape) { internAll(&s.verb) })
}

func httpOf(ex *capture.Exchange) HTTP {
	h := HTTP{Version: ex.Proto, Framing: "none"}
	if q := ex.Request.Head; q != nil {
		h.Method, h.Target = q.Method, q.Target
	}
	if p := ex.Response.Head; p != nil {
		h.Status, h.ContentType, h.ContentEncoding = p.Status, p.Get("Content-Type"), p.Get("Content-Encoding")
		h.Framing = framings[p.Framing]
		if ex.Proto == "2" {
			h.Framing = "h2"
		}
	}
	return h
}

var framings = map[http1.Framing]string{http1.None: "none", http1.Length: "content-length", http1.Chunked: "chunked", http1.Close: "close", http1.Faulty: "none"}

// keep makes the strings independent of the head they stand in.
func (h *HTTP) keep() { internAll(&h.Method, &h.Target, &h.ContentType, &h.ContentEncoding) }

// keep makes the strings independent of the head they stand in.
func (h *Header) keep() { internAll(&h.Session) }

// keep makes the strings independent of the head they stand in.
func (h *Manner) keep() {
	internAll(&h.Version, &h.Method, &h.Name, &h.UserAgent, &h.Accept, &h.RetryAfter, &h.Host, &h.ServerName)
}

// keep makes the strings independent of the head they stand in.
func (h *Particulars) keep() {
	internAll(&h.NewSession, &h.LastEventID, &h.Idempotency, &h.Traceparent)
}

// request takes the fields of a request. Of a repeated field the first that is not empty counts.
func (h *Header) request(q *http1.Head) {
	otherKey := ""
	for i := range q.Fields {
		value := q.Fields[i].Value
		first := func(to *string) {
			if *to == "" {
				*to = value
			}
		}
		var name [nameLimit]byte
		switch string(lowerName(name[:0], q.Fields[i].Name)) {
		case "accept":
			h.accept(value)
		case "mcp-session-id":
			first(&h.Session)
		case "last-event-id":
			first(&h.LastEventID)
		case "mcp-protocol-version":
			first(&h.Version)
		case "mcp-method":
			h.HasMethod = true
			first(&h.Method)
		case "mcp-name":
			h.HasName = true
			first(&h.Name)
		case "user-agent":
			first(&h.UserAgent)
		case "host":
			first(&h.Host)
		case "via", "forwarded", "x-forwarded-for":
			h.PassedOn = true
		case "traceparent":
			first(&h.Traceparent)
		case "idempotency-key":
			first(&h.Idempotency)
		case "x-idempotency-key":
			first(&otherKey)
		case "authorization":
			if value != "" && !h.HasAuth {
				h.Principal, h.HasAuth = hash8([]byte(value)), true
			}
		}
	}
	if h.Idempotency == "" {
		h.Idempotency = otherKey
	}
}

// accept takes one Accept field; of several all count.
func (h *Header) accept(value string) {
	value = strings.ToLower(value)
	if h.Accept != "" {
		h.Accept += ","
	}
	h.Accept += value
	h.HasAccept = h.HasAccept || value != ""
	h.AcceptsJSON = h.AcceptsJSON || strings.Contains(value, "application/json") || strings.Contains(value, "application/*")
	h.AcceptsSSE = h.AcceptsSSE || strings.Contains(value, "text/event-stream") || strings.Contains(value, "text/*")
	h.AcceptsAny = h.AcceptsAny || strings.Contains(value, "*/*")
}

// response takes the fields of a response. Of a repeated field the first counts.
func (h *Header) response(p *http1.Head) {
	h.NewSession, h.RetryAfter = p.Get("Mcp-Session-Id"), p.Get("Retry-After")
	h.Challenge, h.Location = p.Has("WWW-Authenticate"), p.Has("Location")
	h.NoBuffering = strings.EqualFold(p.Get("X-Accel-Buffering"), "no")
	h.ServerName = p.Get("Server")
}

// nameLimit is longer than any field name that a rule asks for.
const nameLimit = 32

// lowerName appends the field name s in lower case, nothing where it is too long to be of interest.
func lowerName(to []byte, s string) []byte {
	if len(s) > nameLimit {
		return to
	}
	for i := range len(s) {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}
