package redact

import "bytes"

// events replaces the values in server-sent events, in place: what data lines hold together, ids, comments.
func (r *Redactor) events(b []byte) {
	b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	var e event
	for _, line := range splitLines(b) {
		if len(line) == 0 {
			r.event(&e)
			continue
		}
		name, value, colon := bytes.Cut(line, []byte(":"))
		value = bytes.TrimPrefix(value, []byte(" "))
		switch {
		case len(name) == 0:
			r.text(value)
		case string(name) == "data":
			e.data = append(e.data, value)
		case string(name) == "event":
			e.name = value
		case string(name) == "id" || colon && string(name) != "retry":
			r.text(value)
			if string(name) != "id" {
				r.text(name)
			}
		case string(name) != "retry":
			r.text(line)
		}
	}
	r.event(&e)
}

// event is one under way: its data lines and its name.
type event struct {
	data [][]byte
	name []byte
}

// plainNames are the event names that tell nothing.
var plainNames = map[string]bool{"": true, "message": true, "endpoint": true, "error": true, "ping": true, "close": true, "open": true, "keepalive": true, "heartbeat": true}

// event replaces the values of a whole event, or of one that was cut off, and forgets it.
func (r *Redactor) event(e *event) {
	joined := bytes.Join(e.data, []byte("\n"))
	switch {
	case looksLikeJSON(joined):
		r.json(joined)
	case string(e.name) == "endpoint":
		r.target(joined)
	default:
		r.text(joined)
	}
	for _, line := range e.data {
		joined = joined[copy(line, joined):]
		joined = bytes.TrimPrefix(joined, []byte("\n"))
	}
	if !plainNames[string(e.name)] {
		r.text(e.name)
	}
	*e = event{}
}
