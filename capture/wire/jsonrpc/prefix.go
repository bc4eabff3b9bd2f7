package jsonrpc

// Prefix reads as much of a message as b holds; b may be cut anywhere.
//
// ID, Method, Code and V2 are set once the values they come from are complete; a number is, when
// something follows it. Params, Result and Err hold what came of their values, possibly nothing but never nil once the
// colon is there. Kind follows from what is set: a message with a method and no id so far is a
// Notification.
//
// Ok means that b begins an object, with a known key and its colon, and has no syntax error. Complete means that the
// object is closed and nothing follows it; then m is as Parse returns it.
func Prefix(b []byte) (m Message, complete bool, ok bool) {
	c := cursor{b: b}
	c.space()
	if c.peek() != '{' {
		return m, false, false
	}
	var e envelope
	known := false
	whole := c.members(func(key []byte) bool {
		slot := e.slot(key)
		known = known || slot != nil
		if slot == nil || e.holder(slot) >= 0 {
			return c.envelopeValue(slot, 1) // what came of it is of use
		}
		start, old := c.i, *slot
		ok := c.envelopeValue(slot, 1)
		if !ok || c.i == len(b) && isNumber(b[start]) {
			*slot = old
		}
		return ok
	})
	if whole {
		c.space()
		complete = c.i == len(b)
	}
	if !known || !complete && (whole || !c.ended()) {
		return m, false, false
	}
	if complete {
		if ms, _, err := Parse(b); err == nil {
			return ms[0], true, true
		}
	}
	method, _ := Text(e.method)
	e.fill(&m, method)
	m.Kind = e.kind(&m)
	return m, complete, true
}
