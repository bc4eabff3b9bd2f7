package jsonrpc

import (
	"bytes"
	"fmt"
)

// Limits on what is accepted.
const (
	MaxDepth = 1000  // arrays and objects within each other
	MaxBatch = 10000 // messages of one batch
)

// Kind is what a message is.
type Kind uint8

const (
	Invalid      Kind = iota // an object that is no JSON-RPC message
	Request                  // a method and an id
	Notification             // a method and no id
	Result                   // a response with a result
	Error                    // a response with an error
)

var kinds = [...]string{"invalid", "request", "notification", "result", "error"}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k]
	}
	return "unknown"
}

// Message is the envelope of one message. The raw values are sub-slices of the text it was parsed
// from and nil where the key is missing.
type Message struct {
	Kind   Kind
	ID     ID
	Method string

	Params []byte
	Result []byte
	Err    []byte
	Code   int64 // of Err, 0 if it has none that is an integer

	V2 bool // "jsonrpc" is "2.0"; Kind does not depend on it
}

// IsResponse reports whether m is a result or an error.
func (m Message) IsResponse() bool { return m.Kind == Result || m.Kind == Error }

// SyntaxError says where a text is no JSON-RPC message or batch.
type SyntaxError struct {
	Offset int64 // bytes before the offending one
	Reason string
}

// Error names the place and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("jsonrpc: %s at byte %d", e.Reason, e.Offset)
}

// Parse parses a message, or a batch of them, in order. The whole of b must be one valid JSON text.
// An object that is no JSON-RPC message is no error: its Kind is Invalid.
//
// An error is a *SyntaxError; no message is returned with it.
func Parse(b []byte) (ms []Message, batch bool, err error) {
	c := cursor{b: b}
	c.space()
	switch c.peek() {
	case '{':
		ms = make([]Message, 1)
		if !c.message(&ms[0], 1) {
			return nil, false, c.err()
		}
	case '[':
		batch = true
		if ms, err = c.batch(); err != nil {
			return nil, true, err
		}
	default:
		if start := c.i; c.value(1) {
			c.i = start
			c.fail("neither an object nor an array")
		}
		return nil, false, c.err()
	}
	if c.space(); c.i < len(b) {
		c.fail("more after the message")
		return nil, batch, c.err()
	}
	return ms, batch, nil
}

// batch parses an array of objects.
func (c *cursor) batch() (ms []Message, err error) {
	ok := c.elements(func() bool {
		if c.peek() != '{' {
			return c.fail("batch element is no object")
		}
		if len(ms) == MaxBatch {
			return c.fail("more than 10000 messages in a batch")
		}
		ms = append(ms, Message{})
		return c.message(&ms[len(ms)-1], 2)
	})
	if !ok {
		return nil, c.err()
	}
	return ms, nil
}

// message parses the object at c into m and decides its kind.
func (c *cursor) message(m *Message, depth int) bool {
	var e envelope
	if !c.members(func(key []byte) bool { return c.envelopeValue(&e, key, depth) }) {
		return false
	}
	e.fill(m)
	m.Kind = e.kind(m)
	return true
}

// envelope holds the raw values of the top-level keys that matter, nil where missing.
type envelope struct {
	version, id, method, params, result, err []byte
}

// slot returns where the value of the raw key goes, nil for one that does not matter.
func (e *envelope) slot(key []byte) *[]byte {
	name := key[1 : len(key)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(decode(name))
	}
	switch string(name) {
	case "jsonrpc":
		return &e.version
	case "id":
		return &e.id
	case "method":
		return &e.method
	case "params":
		return &e.params
	case "result":
		return &e.result
	case "error":
		return &e.err
	}
	return nil
}

// envelopeValue passes over the value of key and keeps it, or what came of it, where it matters.
func (c *cursor) envelopeValue(e *envelope, key []byte, depth int) bool {
	start := c.i
	slot := e.slot(key)
	ok := c.value(depth + 1)
	if slot != nil {
		*slot = c.b[start:c.i:c.i]
	}
	return ok
}

// fill decodes what stands in e into m, all but its kind.
func (e *envelope) fill(m *Message) {
	m.ID = ID(e.id)
	m.Method, _ = Text(e.method)
	m.Params, m.Result, m.Err = e.params, e.result, e.err
	if code, ok := Get(e.err, "code"); ok {
		m.Code, _ = integer(code)
	}
	version, _ := Text(e.version)
	m.V2 = version == "2.0"
}

// kind decides what a complete object is.
func (e *envelope) kind(m *Message) Kind {
	response := e.result != nil || e.err != nil
	switch {
	case !m.ID.valid():
		return Invalid
	case e.method != nil && (response || e.method[0] != '"'):
		return Invalid
	case e.method != nil && m.ID != "":
		return Request
	case e.method != nil:
		return Notification
	case e.result != nil && e.err == nil:
		return Result
	case e.err != nil && e.result == nil:
		return Error
	}
	return Invalid
}
