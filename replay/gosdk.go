package replay

import (
	"bytes"
	"mime"
	"slices"
	"strconv"
	"time"

	"mcptrace/capture/wire/http1"
)

// goSDK is the Go SDK's streamable client. It returns on the answer; what it cannot read fails the whole session.
type goSDK struct {
	strictSDK
	z      *inflater
	line   []byte
	event  goEvent
	size   int // bytes of the event under way
	lastID string
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
	c := &goSDK{strictSDK: strictSDK{asked: a}}
	c.http = newStrictHTTP(c, a.verb)
	return c
}

func (c *goSDK) close() {
	if c.z != nil {
		c.z.close()
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
	if c.settled {
		return
	}
	if !c.streams() {
		c.keep(p)
		return
	}
	for len(p) > 0 && !c.settled {
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

func (c *goSDK) done() (move, bool) {
	if c.settled {
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
	case d.settled:
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
	if !c.settled {
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
	if d.settled {
		return d.took
	}
	return move{kind: waitsOn, at: at, next: NextCancel, why: "The body holds another message than the answer; it goes on waiting, until its caller gives up."}
}
