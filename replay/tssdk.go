package replay

import (
	"encoding/json"
	"strings"
	"time"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/sse"
)

// tsSDK is the TypeScript SDK's streamable client on Node. It returns on the answer. The loss of a stream that had begun
// tells it nothing: unless an event id was seen, it waits for its timeout.
type tsSDK struct {
	strictSDK
	dec      *coding.Decoder
	sse      *sse.Scanner
	cr       bool // a CR at the end of what has come waits for the next byte
	primed   bool
	answered bool // a result of any id was read
}

func newTSSDK(a asked) client {
	c := &tsSDK{strictSDK: strictSDK{asked: a}}
	c.http = newStrictHTTP(c, a.verb)
	c.sse = sse.NewScanner(c)
	return c
}

func (c *tsSDK) close() {
	if c.dec != nil {
		c.dec.Close()
	}
}

// strictHead implements strictBody.
func (c *tsSDK) strictHead(h *http1.Head) {
	kind, _, _ := strings.Cut(h.Get("Content-Type"), ";")
	c.kind = strings.ToLower(strings.TrimSpace(kind))
	if enc := strings.ToLower(h.Get("Content-Encoding")); enc == "gzip" || enc == "x-gzip" || enc == "deflate" || enc == "br" {
		c.dec, _ = coding.New(enc, maxEvent)
	}
	if ok := h.Status >= 200 && h.Status < 300; ok && h.Status != 202 && c.kind != "text/event-stream" && c.kind != "application/json" {
		c.take(fails, "The Content-Type is neither JSON nor an event stream.")
	}
}

func (c *tsSDK) strictBytes(p []byte) {
	if c.dec == nil {
		c.bytes(p)
		return
	}
	c.dec.Write(p, c.bytes)
}

func (c *tsSDK) bytes(p []byte) {
	switch {
	case c.settled || len(p) == 0 || c.http.head.Status == 202:
	case c.streams():
		if c.cr {
			c.sse.Write([]byte{'\r'})
		}
		if c.cr = p[len(p)-1] == '\r'; c.cr {
			p = p[:len(p)-1]
		}
		c.sse.Write(p)
	default:
		c.keep(p)
	}
}

// Event implements sse.Handler.
func (c *tsSDK) Event(e *sse.Event) {
	if c.settled || !e.HasData {
		return
	}
	c.primed = c.primed || e.ID != ""
	if len(e.Data) > 0 && (e.Type == "" || e.Type == "message") {
		c.message(e.Data, "It returns as soon as the answer is dispatched.")
	}
}

// Comment implements sse.Handler.
func (c *tsSDK) Comment(int64, int64) {}

// CRLF implements sse.Handler.
func (c *tsSDK) CRLF(int64) {}

func (c *tsSDK) done() (move, bool) {
	if c.settled {
		return c.took, true
	}
	if c.http.state == strictOpen || c.waits() {
		return move{}, false
	}
	return c.over(c.http.state == strictDone, c.http.now), true
}

// waits reports whether the end of the response tells it nothing.
func (c *tsSDK) waits() bool {
	h := c.http.head
	return h != nil && (h.Status == 202 || c.streams() && !(c.primed && !c.answered))
}

func (c *tsSDK) end(how ending, at time.Duration) move {
	if how == timedOut {
		return move{kind: gives, at: at, late: true, next: NextCancel, why: "No answer came before its timeout, and it sends a cancellation."}
	}
	return c.over(c.http.endsAt() && how == finished || c.forgiven(), at)
}

// forgiven reports whether Node's HTTP client takes any end of the connection for the response's: it does where the
// connection was not to outlive the response, unless a Content-Length says that something is missing.
func (c *tsSDK) forgiven() bool {
	h := c.http.head
	if h == nil || c.http.state != strictOpen || h.Framing == http1.Length {
		return false
	}
	connection := strings.ToLower(strings.Join(h.Values("Connection"), ","))
	return h.Framing == http1.Close || strings.Contains(connection, "close") || h.Proto == "HTTP/1.0" && !strings.Contains(connection, "keep-alive")
}

// over returns what it makes of the end of the response; clean: as its framing says.
func (c *tsSDK) over(clean bool, at time.Duration) move {
	h := c.http.head
	switch {
	case c.overflow:
		return tooLargeToPlay(at)
	case h == nil:
		return move{kind: fails, at: at, why: "The connection ended before a response head, and that is an error at once."}
	case h.Status < 200 || h.Status > 299:
		return c.refused(clean, at)
	case h.Status == 202:
		return move{kind: waitsOn, at: at, next: NextCancel, why: "A 202 promises the answer elsewhere, and it waits for its timeout."}
	case c.streams() && c.primed && !c.answered:
		return move{kind: resumes, at: at, why: "The stream ended without the answer but with an event id, so it asks for the rest with Last-Event-ID."}
	case c.streams():
		return move{kind: waitsOn, at: at, next: NextCancel, why: "The stream ended without an answer that it can read; it does not notice and waits for its timeout."}
	case !clean:
		return move{kind: fails, at: at, why: "The body was cut short, and what had arrived is thrown away."}
	}
	return c.wholeJSON(at)
}

// refused is what it makes of an error status: the error's text is the body's.
func (c *tsSDK) refused(clean bool, at time.Duration) move {
	var m object
	if clean && json.Unmarshal(c.text, &m) == nil && m.object("error") != nil {
		return move{kind: returns, at: at, next: NextError, why: "The error status is reported with the text of the body, the JSON-RPC error in it."}
	}
	return move{kind: fails, at: at, why: "The error status is reported."}
}

// wholeJSON is what it makes of a JSON body: one message, or an array of them.
func (c *tsSDK) wholeJSON(at time.Duration) move {
	d := *c
	d.http = &strictHTTP{head: c.http.head, now: at}
	var all []json.RawMessage
	if json.Unmarshal(c.text, &all) != nil {
		all = []json.RawMessage{c.text}
	}
	for _, text := range all {
		if !d.message(text, "The JSON body is complete and is handed on.") {
			return move{kind: fails, at: at, why: "The JSON body does not pass for JSON-RPC, and that is an error at once."}
		}
	}
	if d.settled {
		return d.took
	}
	return move{kind: waitsOn, at: at, next: NextCancel, why: "The body holds another message than the answer; it waits for its timeout."}
}
