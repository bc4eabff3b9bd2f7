package replay

import (
	"bytes"
	"encoding/json"
	"math"
	"mime"
	"slices"
	"strconv"
	"time"

	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
)

// goSDK is the Go SDK's streamable client. It returns on the answer; what it cannot read fails the whole session.
type goSDK struct {
	asked
	http *strictHTTP
	kind string // media type
	z    *inflater
	text []byte
	line []byte

	event    goEvent
	size     int // bytes of the event under way
	lastID   string
	took     move
	took1    bool
	overflow bool
}

// goEvent is the event under way.
type goEvent struct {
	name, id string
	data     []byte
	hasData  bool
}

// maxGoEvent is the largest event that the SDK takes.
const maxGoEvent = 16 << 20

func newGoSDK(a asked) client {
	c := &goSDK{asked: a}
	c.http = newStrictHTTP(c, a.verb)
	return c
}

func (c *goSDK) read(p []byte, at time.Duration) {
	if !c.took1 {
		c.http.read(p, at)
	}
}

func (c *goSDK) pause() {}

func (c *goSDK) close() {
	if c.z != nil {
		c.z.close()
	}
}

// take ends the exchange for the caller.
func (c *goSDK) take(kind act, why string) {
	if !c.took1 {
		c.took, c.took1 = move{kind: kind, at: c.http.now, why: why}, true
	}
}

// strictHead implements strictBody. The SDK leaves gzip, and nothing else, to net/http.
func (c *goSDK) strictHead(h *http1.Head) {
	c.kind, _, _ = mime.ParseMediaType(h.Get("Content-Type"))
	if h.Get("Content-Encoding") == "gzip" || h.Get("Content-Encoding") == "GZIP" {
		c.z = &inflater{}
	}
	switch h.Status {
	case 429, 500, 502, 503, 504:
		c.take(fails, "The status "+strconv.Itoa(h.Status)+" is reported as an error at once; the body is not read.")
		return
	}
	if h.Status >= 200 && h.Status < 300 && c.kind != "text/event-stream" && c.kind != "application/json" {
		c.take(fails, "The Content-Type is neither JSON nor an event stream.")
	}
}

func (c *goSDK) strictBytes(p []byte) {
	if c.z == nil {
		c.bytes(p)
		return
	}
	c.z.write(p, c.bytes)
	if c.z.state == corrupt || c.z.state == notGzip {
		c.take(fails, "The compressed body is damaged.")
	}
}

func (c *goSDK) bytes(p []byte) {
	if c.took1 {
		return
	}
	if !c.streams() {
		if len(c.text)+len(p) > maxEvent {
			c.overflow = true
			return
		}
		c.text = append(c.text, p...)
		return
	}
	for len(p) > 0 && !c.took1 {
		n := bytes.IndexByte(p, '\n')
		rest := p[len(p):]
		whole := n >= 0
		if whole {
			p, rest = p[:n], p[n+1:]
		}
		if c.size += len(p) + 1; c.size > maxGoEvent {
			c.take(fails, "An event is larger than the 16 MiB it takes.")
			return
		}
		c.line = append(c.line, p...)
		if whole {
			c.lineRead(c.line)
			c.line = c.line[:0]
		}
		p = rest
	}
}

// streams reports whether the body is read as an event stream.
func (c *goSDK) streams() bool {
	return c.kind == "text/event-stream" && c.http.head.Status >= 200 && c.http.head.Status < 300
}

// lineRead takes a line without its LF. A bare CR ends no line.
func (c *goSDK) lineRead(line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	if len(line) == 0 {
		c.dispatch()
		c.size = 0
		return
	}
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok {
		c.take(fails, "A line without a colon fails the whole session.")
		return
	}
	e, value := &c.event, bytes.TrimSpace(value)
	switch string(name) {
	case "event":
		e.name = string(value)
	case "id":
		e.id = string(value)
	case "data":
		if e.hasData {
			e.data = append(e.data, '\n')
		}
		e.hasData = true
		e.data = append(e.data, value...)
	}
}

// dispatch hands the event on.
func (c *goSDK) dispatch() {
	e := c.event
	c.event = goEvent{data: e.data[:0]}
	if e.id != "" {
		c.lastID = e.id
	}
	if len(e.data) == 0 || e.name != "" && e.name != "message" {
		return
	}
	c.message(e.data, "It returns as soon as the answer is dispatched.")
}

// message takes one JSON-RPC message.
func (c *goSDK) message(text []byte, why string) {
	if asksOrTells(text) {
		return
	}
	m, ok := decodeGo(text)
	switch {
	case !ok:
		c.take(fails, "A message that is no JSON-RPC 2.0 fails the whole session.")
	case m.has("method") || !sameGoID(jsonrpc.ID(m["id"]), c.id):
	case m.has("error") && string(m["error"]) != "null":
		c.take(returns, "It returns the JSON-RPC error as soon as it is read.")
	default:
		c.result(m, why)
	}
}

// result hands the result on, if it passes for one.
func (c *goSDK) result(m object, why string) {
	result := m.object("result")
	if c.method == "initialize" && !slices.Contains(goVersions, textOf(result["protocolVersion"])) {
		c.take(fails, "The server chose a protocol version that it does not speak.")
		return
	}
	c.take(returns, why)
}

// goVersions are the versions with a handshake that the Go SDK speaks.
var goVersions = []string{"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}

// decodeGo reads a message as the SDK's jsonrpc2 does: strict about the version tag and the id.
func decodeGo(text []byte) (object, bool) {
	var m object
	d := json.NewDecoder(bytes.NewReader(text))
	if d.Decode(&m) != nil || m == nil {
		return nil, false
	}
	if v, _ := m.text("jsonrpc"); v != "2.0" {
		return nil, false
	}
	id := jsonrpc.ID(m["id"])
	if id != "" && id != "null" && id[0] != '"' && !(id[0] == '-' || id[0] >= '0' && id[0] <= '9') {
		return nil, false
	}
	if m.has("method") {
		_, ok := m.text("method")
		return m, ok
	}
	return m, id != "" && id != "null"
}

// sameGoID compares as the SDK does: strings with strings, numbers as integers.
func sameGoID(a, b jsonrpc.ID) bool {
	if a.Equal(b) {
		return true
	}
	x, err1 := strconv.ParseFloat(string(a), 64)
	y, err2 := strconv.ParseFloat(string(b), 64)
	return err1 == nil && err2 == nil && math.Trunc(x) == math.Trunc(y)
}

func (c *goSDK) done() (move, bool) {
	if c.took1 {
		return c.took, true
	}
	switch c.http.state {
	case strictDone:
		return c.over(true, c.http.now), true
	case strictBroken:
		return c.over(false, c.http.now), true
	}
	return move{}, false
}

func (c *goSDK) end(how ending, at time.Duration) move {
	if how == timedOut {
		return move{kind: gives, at: at, late: true, next: NextCancel, why: "No answer came before the deadline that its caller had set."}
	}
	return c.over(how == finished && c.http.endsAt(), at)
}

// over returns what it makes of the end of the response; clean: as its framing says.
func (c *goSDK) over(clean bool, at time.Duration) move {
	h := c.http.head
	switch {
	case c.overflow:
		return tooLargeToPlay(at)
	case h == nil:
		return move{kind: fails, at: at, why: "The connection ended before a response head, and that is an error at once."}
	case h.Status < 200 || h.Status > 299:
		return c.refused(at)
	case !c.streams():
		return c.wholeJSON(clean, at)
	}
	d := *c
	if whole := c.z == nil || c.z.state == inflated; clean && whole {
		d.flush(at)
	}
	switch {
	case d.took1:
		return d.took
	case d.lastID != "":
		return move{kind: resumes, at: at, why: "The stream ended without the answer but with an event id, so it asks for the rest with Last-Event-ID."}
	}
	return move{kind: fails, at: at, why: "The stream ended without the answer, and that is an error at once."}
}

// flush dispatches the event that the end of the stream finds under way.
func (c *goSDK) flush(at time.Duration) {
	c.event.data = slices.Clone(c.event.data)
	c.http = &strictHTTP{head: c.http.head, now: at}
	if len(c.line) > 0 {
		c.lineRead(c.line)
	}
	if !c.took1 {
		c.dispatch()
		if c.took.kind == returns {
			c.took.why = "At a clean end it takes the pending event for the answer, although no blank line had dispatched it."
		}
	}
}

// refused is what it makes of an error status that it does not take for a passing one.
func (c *goSDK) refused(at time.Duration) move {
	if m, ok := decodeGo(c.text); ok && !m.has("method") && m.object("error") != nil {
		return move{kind: returns, at: at, next: NextError, why: "The JSON-RPC error in the body of the error status is handed on."}
	}
	return move{kind: fails, at: at, why: "The error status is reported; what the body holds is not."}
}

// wholeJSON is what it makes of a JSON body.
func (c *goSDK) wholeJSON(clean bool, at time.Duration) move {
	if !clean || c.z != nil && c.z.state != inflated {
		return move{kind: fails, at: at, why: "The body was cut short, and what had arrived is thrown away."}
	}
	d := *c
	d.http = &strictHTTP{head: c.http.head, now: at}
	d.message(c.text, "The JSON body is complete and is handed on.")
	if d.took1 {
		return d.took
	}
	return move{kind: waitsOn, at: at, next: NextCancel, why: "The body holds another message than the answer; it goes on waiting, until its caller gives up."}
}
