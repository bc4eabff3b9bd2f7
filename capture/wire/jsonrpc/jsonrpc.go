package jsonrpc

import (
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

	members []member // of Params, Result or Err, as Kind says; nil: look for them
}

// member is one member of an object, as Each hands it on.
type member struct{ key, value []byte }

// Each calls f for each member of Params, Result or Err, whichever belongs to Kind, in order, with its decoded key and
// its raw value. It does nothing where that is no object.
func (m *Message) Each(f func(key, value []byte)) {
	if m.members == nil {
		Members(m.held(), f)
	}
	for i := range m.members {
		f(m.members[i].key, m.members[i].value)
	}
}

// held returns the value whose members Each hands on.
func (m *Message) held() []byte {
	switch m.Kind {
	case Request, Notification:
		return m.Params
	case Result:
		return m.Result
	case Error:
		return m.Err
	}
	return nil
}

// IsResponse reports whether m is a result or an error.
func (m Message) IsResponse() bool { return m.Kind == Result || m.Kind == Error }

// SyntaxError says where a text is no JSON-RPC message or batch.
type SyntaxError struct {
	Offset int64 // bytes before the offending one
	Reason string
	Limit  bool // MaxDepth or MaxBatch is the reason: the text may be valid
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
	var p Parser
	return p.Parse(b)
}

// Parser is Parse for many texts one after the other: it uses its memory again. The zero Parser is ready to use.
type Parser struct {
	cursor
	ms      []Message
	members []member
	methods [8]string // the newest first
}

// Parse is like the function; what it returns is good until the next call.
func (p *Parser) Parse(b []byte) (ms []Message, batch bool, err error) {
	p.cursor, p.ms, p.members = cursor{b: b}, p.ms[:0], p.members[:0]
	p.space()
	switch p.peek() {
	case '{':
		if !p.message(1) {
			return nil, false, p.err()
		}
	case '[':
		if batch = true; !p.batch() {
			return nil, true, p.err()
		}
	default:
		if start := p.i; p.value(1) {
			p.i = start
			p.fail("neither an object nor an array")
		}
		return nil, false, p.err()
	}
	if p.space(); p.i < len(b) {
		p.fail("more after the message")
		return nil, batch, p.err()
	}
	return p.ms, batch, nil
}

// batch parses an array of objects.
func (p *Parser) batch() bool {
	return p.elements(func() bool {
		if p.peek() != '{' {
			return p.fail("batch element is no object")
		}
		if len(p.ms) == MaxBatch {
			return p.fail(tooMany)
		}
		return p.message(2)
	})
}

// message parses the object at p and decides its kind.
func (p *Parser) message(depth int) bool {
	var e envelope
	var found [3][]member // of params, result and error
	ok := p.cursor.members(func(key []byte) bool {
		slot := e.slot(key)
		i := e.holder(slot)
		if i >= 0 {
			found[i] = nil // of repeated keys the last counts
		}
		if i < 0 || p.peek() != '{' {
			return p.envelopeValue(slot, depth)
		}
		start := p.i
		var ok bool
		found[i], ok = p.collect(depth + 1)
		*slot = p.b[start:p.i:p.i]
		return ok
	})
	if !ok {
		return false
	}
	p.ms = append(p.ms, Message{})
	m := &p.ms[len(p.ms)-1]
	e.fill(m, p.method(e.method))
	switch m.Kind = e.kind(m); m.Kind {
	case Request, Notification:
		m.members = found[0]
	case Result:
		m.members = found[1]
	case Error:
		m.members = found[2]
	}
	return true
}

// maxMembers is how many members of one object are noted; where there are more they are looked for when they are asked for.
const maxMembers = 256

// collect passes over the object at p, which stands at that depth, and returns its members; nil: there are too many.
func (p *Parser) collect(depth int) ([]member, bool) {
	from := len(p.members)
	ok := p.cursor.members(func(key []byte) bool {
		start := p.i
		if !p.value(depth + 1) {
			return false
		}
		if len(p.members)-from <= maxMembers {
			p.members = append(p.members, member{keyName(key), p.b[start:p.i:p.i]})
		}
		return true
	})
	if len(p.members)-from > maxMembers {
		p.members = p.members[:from]
		return nil, ok
	}
	return p.members[from:len(p.members):len(p.members)], ok
}

// Reset forgets the last text, so that a Parser that waits for its next use holds no memory of others.
func (p *Parser) Reset() {
	clear(p.ms)
	clear(p.members)
	p.cursor, p.ms, p.members = cursor{}, p.ms[:0], p.members[:0]
	if cap(p.ms) > maxMembers || cap(p.members) > 8*maxMembers {
		p.ms, p.members = nil, nil
	}
}

// envelope holds the raw values of the top-level keys that matter, nil where missing.
type envelope struct {
	version, id, method, params, result, err []byte
}

// slot returns where the value of the raw key goes, nil for one that does not matter.
func (e *envelope) slot(key []byte) *[]byte {
	switch string(keyName(key)) {
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

// holder returns which of params, result and error slot is: 0, 1, 2; -1 for another.
func (e *envelope) holder(slot *[]byte) int {
	switch slot {
	case &e.params:
		return 0
	case &e.result:
		return 1
	case &e.err:
		return 2
	}
	return -1
}

// envelopeValue passes over a value and keeps it, or what came of it, in slot where there is one.
func (c *cursor) envelopeValue(slot *[]byte, depth int) bool {
	start := c.i
	ok := c.value(depth + 1)
	if slot != nil {
		*slot = c.b[start:c.i:c.i]
	}
	return ok
}

// method decodes a raw method name. The last few are known by heart: there are not many.
func (p *Parser) method(raw []byte) string {
	if len(raw) < 2 || raw[0] != '"' {
		return ""
	}
	for _, m := range p.methods {
		if len(m) == len(raw)-2 && m == string(raw[1:len(raw)-1]) {
			return m
		}
	}
	m := decode(raw[1 : len(raw)-1])
	if len(m) == len(raw)-2 && len(m) <= maxKnownMethod {
		copy(p.methods[1:], p.methods[:])
		p.methods[0] = m
	}
	return m
}

// maxKnownMethod is longer than any method name of a protocol.
const maxKnownMethod = 64

// fill decodes what stands in e into m, all but its kind.
func (e *envelope) fill(m *Message, method string) {
	m.ID, m.Method = ID(e.id), method
	m.Params, m.Result, m.Err = e.params, e.result, e.err
	if code, ok := Get(e.err, "code"); ok {
		m.Code, _ = integer(code)
	}
	m.V2 = string(e.version) == `"2.0"`
	if version, ok := Text(e.version); ok && !m.V2 {
		m.V2 = version == "2.0"
	}
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
