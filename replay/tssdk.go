package replay

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
	"mcptrace/capture/wire/sse"
)

// tsSDK is the TypeScript SDK's streamable client on Node. It returns on the answer. The loss of a stream that had begun
// tells it nothing: unless an event id was seen, it waits for its timeout.
type tsSDK struct {
	asked
	http *strictHTTP
	kind string
	dec  *coding.Decoder
	sse  *sse.Scanner
	cr   bool // a CR at the end of what has come waits for the next byte
	text []byte

	primed   bool
	answered bool // a result of any id was read
	took     move
	took1    bool
	overflow bool
}

func newTSSDK(a asked) client {
	c := &tsSDK{asked: a}
	c.http = newStrictHTTP(c, a.verb)
	c.sse = sse.NewScanner(c)
	return c
}

func (c *tsSDK) read(p []byte, at time.Duration) {
	if !c.took1 {
		c.http.read(p, at)
	}
}

func (c *tsSDK) pause() {}

func (c *tsSDK) close() {
	if c.dec != nil {
		c.dec.Close()
	}
}

func (c *tsSDK) take(kind act, why string) {
	if !c.took1 {
		c.took, c.took1 = move{kind: kind, at: c.http.now, why: why}, true
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
	case c.took1 || len(p) == 0 || c.http.head.Status == 202:
	case c.streams():
		if c.cr {
			c.sse.Write([]byte{'\r'})
		}
		if c.cr = p[len(p)-1] == '\r'; c.cr {
			p = p[:len(p)-1]
		}
		c.sse.Write(p)
	case len(c.text)+len(p) > maxEvent:
		c.overflow = true
	default:
		c.text = append(c.text, p...)
	}
}

// streams reports whether the body is read as an event stream.
func (c *tsSDK) streams() bool {
	return c.kind == "text/event-stream" && c.http.head.Status >= 200 && c.http.head.Status < 300
}

// Event implements sse.Handler.
func (c *tsSDK) Event(e *sse.Event) {
	if c.took1 || !e.HasData {
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

// message takes one message and reports whether it passes the SDK's schema; what does not is ignored.
func (c *tsSDK) message(text []byte, why string) bool {
	var m object
	if asksOrTells(text) {
		return true // or not by the schema: it is no answer, and only in a JSON body does that matter
	}
	if json.Unmarshal(text, &m) != nil || m == nil {
		return false
	}
	kind := tsKind(m)
	switch {
	case kind == tsResult:
		c.answered = true
	case kind != tsError:
		return kind != tsInvalid
	}
	if !sameTSID(jsonrpc.ID(m["id"]), c.id) {
		return true
	}
	if kind == tsError {
		c.take(returns, "It returns the JSON-RPC error as soon as it is read.")
		return true
	}
	if c.method == "initialize" && !slices.Contains(tsVersions, textOf(m.object("result")["protocolVersion"])) {
		c.take(fails, "The server chose a protocol version that it does not speak.")
		return true
	}
	c.take(returns, why)
	return true
}

// tsVersions are the versions with a handshake that the TypeScript SDK speaks.
var tsVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"}

// The kinds of message by the SDK's schemas.
const (
	tsInvalid = iota
	tsResult
	tsError
	tsOther // a request or a notification
)

// tsKind classifies a message by the SDK's schemas, which know every member of the envelope and allow no other.
func tsKind(m object) int {
	if v, _ := m.text("jsonrpc"); v != "2.0" {
		return tsInvalid
	}
	only := func(names ...string) bool {
		for k := range m {
			if !slices.Contains(names, k) {
				return false
			}
		}
		return true
	}
	id := m.has("id") && isTSID(m["id"])
	switch {
	case m.has("result"):
		if id && m.object("result") != nil && only("jsonrpc", "id", "result") {
			return tsResult
		}
	case m.has("error"):
		e := m.object("error")
		_, message := e.text("message")
		if (id || !m.has("id")) && message && isInteger(e["code"]) && only("jsonrpc", "id", "error") {
			return tsError
		}
	case m.has("method"):
		_, named := m.text("method")
		if named && (id || !m.has("id")) && only("jsonrpc", "id", "method", "params") {
			return tsOther
		}
	}
	return tsInvalid
}

func isTSID(raw json.RawMessage) bool { return len(raw) > 0 && raw[0] == '"' || isInteger(raw) }

func isInteger(raw json.RawMessage) bool {
	var f float64
	return json.Unmarshal(raw, &f) == nil && string(raw) != "null" && f == float64(int64(f))
}

// sameTSID compares ids as numbers, as the SDK does: "2" answers 2.
func sameTSID(a, b jsonrpc.ID) bool {
	if a == "" {
		return false
	}
	x, err1 := strconv.ParseFloat(strings.TrimSpace(idText(a)), 64)
	y, err2 := strconv.ParseFloat(strings.TrimSpace(idText(b)), 64)
	if err1 != nil || err2 != nil {
		return a.Equal(b)
	}
	return x == y
}

func (c *tsSDK) done() (move, bool) {
	if c.took1 {
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
	if d.took1 {
		return d.took
	}
	return move{kind: waitsOn, at: at, next: NextCancel, why: "The body holds another message than the answer; it waits for its timeout."}
}
