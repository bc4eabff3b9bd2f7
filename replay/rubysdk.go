package replay

import (
	"strings"
	"time"
)

// rubySDK is the official Ruby SDK's HTTP client. It reads the stream as it comes and stops at the first object with a
// result or an error; it compares no ids.
type rubySDK struct {
	asked
	early  bool // stops for initialize too, and never under a status of 400 or above
	http   netHTTP
	sse    bool
	json   bool
	stream shopifyStream
	text   []byte
	answer object
	primed bool // an event with an id was dispatched
	large  bool // a message above the product's limit

	z       *inflater
	held    []byte // inflated, and not handed on yet
	damaged bool   // the compressed data is wrong
	pending bool   // bytes were handed on since the last piece ended
}

// maxRubySDKMessage is the largest message, event or body, that the SDK takes.
const maxRubySDKMessage = 4 << 20

func newRubySDK(a asked, early bool) client {
	c := &rubySDK{asked: a, early: early}
	c.http.to = c
	c.stream.event = c.event
	return c
}

func (c *rubySDK) read(p []byte, at time.Duration) {
	if !c.damaged && !c.large {
		c.http.read(p, at)
	}
}

func (c *rubySDK) pause() { c.http.pause() }

func (c *rubySDK) close() {
	if c.z != nil {
		c.z.close()
	}
}

// head implements netHTTPBody. Net::HTTP undoes gzip and deflate itself.
func (c *rubySDK) head(h *netHTTP) {
	c.typeOf(h)
	switch strings.ToLower(h.get("Content-Encoding")) {
	case "gzip", "x-gzip", "deflate":
		c.z = &inflater{zlib: true}
	}
}

func (c *rubySDK) typeOf(h *netHTTP) {
	c.sse, c.json = hasType(h, "text/event-stream"), hasType(h, "application/json")
}

// body implements netHTTPBody.
func (c *rubySDK) body(p []byte) {
	if c.z == nil {
		c.handOn(p)
		return
	}
	c.z.write(p, func(out []byte) {
		c.held = append(c.held, out...)
		// Ruby's inflater hands on full pieces, and the rest only once the compressed data has ended.
		for len(c.held) >= readSize && c.z.state == inflating {
			c.handOn(c.held[:readSize])
			c.stream.piece()
			c.held = c.held[:copy(c.held, c.held[readSize:])]
		}
	})
	switch c.z.state {
	case inflated:
		c.handOn(c.held)
		c.held = nil
	case corrupt, notGzip:
		c.damaged = true
	}
}

func (c *rubySDK) handOn(p []byte) {
	if len(p) == 0 || c.large {
		return
	}
	c.pending = true
	if c.sse {
		c.stream.write(p)
		return
	}
	c.text = append(c.text, p...)
	c.large = len(c.text) > maxRubySDKMessage
}

// piece implements netHTTPBody.
func (c *rubySDK) piece() (stop bool) {
	if c.pending {
		c.pending = false
		c.stream.piece()
	}
	if c.stops() {
		return true
	}
	c.large = c.large || c.stream.buffered() > maxRubySDKMessage
	return false
}

// stops reports whether it stops reading, having the answer.
func (c *rubySDK) stops() bool {
	if c.answer == nil {
		return false
	}
	if c.early {
		return c.http.status < 400
	}
	return c.method != "initialize"
}

func (c *rubySDK) event(data []byte, id string) {
	c.primed = c.primed || id != ""
	if c.answer != nil || len(data) == 0 || asksOrTells(data) {
		return
	}
	if m, _ := parseRuby(data); m.has("result") || m.has("error") {
		c.answer = m
	}
}

func (c *rubySDK) done() (move, bool) {
	at := c.http.now
	switch {
	case c.http.state == stopped:
		return move{kind: returns, at: at, why: "It stops reading as soon as the answer is there."}, true
	case c.damaged:
		return c.fail(at, "The compressed body is damaged."), true
	case c.large:
		return c.fail(at, "The message is larger than the 4 MiB it takes."), true
	case c.http.state == complete:
		return c.settle(&c.http, at), true
	case c.http.state == broken:
		return c.fail(at, "The response is malformed: "+c.http.why+"."), true
	}
	return move{}, false
}

func (c *rubySDK) end(how ending, at time.Duration) move {
	inChunk := c.http.state == chunkBody || c.http.state == stopping
	switch {
	case c.stops() && !inChunk && (c.http.state == lengthBody || c.http.state == closeBody):
		return move{kind: returns, at: c.http.now, why: "It stops reading as soon as the answer is there."}
	case how == timedOut:
		mv := move{kind: gives, at: at, late: true, why: "Its timeout passed before the response had ended."}
		if c.stops() {
			mv.why = "It has the answer, but waits for the two bytes that end the transfer chunk, until its timeout."
		}
		return mv
	case how == finished:
		if h, ok := c.http.atFIN(); ok {
			return c.settle(h, at)
		}
	}
	mv := c.fail(at, "The connection broke before the response was complete, and the body is thrown away.")
	if c.stops() {
		mv.why = "It has the answer, but the connection broke before the two bytes that end the transfer chunk, and that error takes the answer's place."
	}
	return mv
}

// settle is what becomes of a response that Net::HTTP takes for complete.
func (c *rubySDK) settle(h *netHTTP, at time.Duration) move {
	if h != &c.http {
		c2 := *c
		c2.typeOf(h)
		c = &c2
	}
	switch {
	case c.z != nil && c.z.state == inflating && c.z.resume != nil:
		return c.fail(at, "The compressed body lacks its end.")
	case h.status >= 400:
		return c.fail(at, "The error status is reported; what the body holds is not.")
	case c.answer != nil:
		return move{kind: returns, at: at, why: "The response ended with the answer in it."}
	case h.status == 202:
		return c.fail(at, "A 202 has no body, and the caller gets nothing.")
	case c.sse && c.primed:
		return move{kind: resumes, at: at, why: "The stream ended without the answer but with an event id, so it asks for the rest with Last-Event-ID."}
	case c.sse:
		return c.fail(at, "The stream ended without a result or an error in it.")
	case !c.json:
		return c.fail(at, "The Content-Type is neither JSON nor an event stream.")
	case len(c.text) == 0:
		return c.fail(at, "The body is empty, and the caller gets nothing.")
	}
	if _, valid := parseRuby(c.text); !valid {
		return c.fail(at, "The body is no JSON.")
	}
	return move{kind: returns, at: at, why: "The JSON body is handed on as it is; nothing compares its id."}
}

func (c *rubySDK) fail(at time.Duration, why string) move { return move{kind: fails, at: at, why: why} }
