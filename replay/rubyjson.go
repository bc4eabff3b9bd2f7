package replay

import (
	"bytes"
	"encoding/json"

	"mcptrace/capture/wire/jsonrpc"
)

// object is a JSON object as a client sees it that asks it for members by name.
type object map[string]json.RawMessage

// maxRubyDepth is how deep Ruby's JSON.parse lets a text nest.
const maxRubyDepth = 100

// parseRuby parses text as Ruby's JSON.parse does. valid: it is JSON; o is nil where it is no object.
func parseRuby(text []byte) (o object, valid bool) {
	if !mayBeJSON(text) || tooDeep(text) {
		return nil, false
	}
	if json.Unmarshal(text, &o) == nil {
		return o, true
	}
	return nil, json.Valid(text)
}

// asksOrTells reports whether text is a request or a notification of JSON-RPC 2.0, which most events of a stream are: no
// client takes one for an answer, and telling so is cheaper than taking it apart.
func asksOrTells(text []byte) bool {
	ms, batch, err := jsonrpc.Parse(text)
	return err == nil && !batch && ms[0].V2 && (ms[0].Kind == jsonrpc.Request || ms[0].Kind == jsonrpc.Notification)
}

// mayBeJSON refuses at a glance what is cut off: a sweep asks after every byte.
func mayBeJSON(text []byte) bool {
	text = bytes.Trim(text, " \t\r\n")
	if len(text) == 0 {
		return false
	}
	switch last := text[len(text)-1]; text[0] {
	case '{':
		return last == '}'
	case '[':
		return last == ']'
	}
	return true
}

// tooDeep reports whether arrays and objects stand more than maxRubyDepth deep within each other.
func tooDeep(text []byte) bool {
	if bytes.Count(text, []byte{'{'})+bytes.Count(text, []byte{'['}) <= maxRubyDepth {
		return false
	}
	now, most, in := 0, 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case in && c == '\\':
			i++
		case c == '"':
			in = !in
		case in:
		case c == '{' || c == '[':
			now++
			most = max(most, now)
		case c == '}' || c == ']':
			now--
		}
	}
	return most > maxRubyDepth
}

// has reports whether the object has the member, whatever its value.
func (o object) has(name string) bool {
	_, ok := o[name]
	return ok
}

// truthy reports whether the member is there and neither null nor false.
func (o object) truthy(name string) bool {
	v, ok := o[name]
	return ok && string(v) != "null" && string(v) != "false"
}

// text returns a member that is a string.
func (o object) text(name string) (string, bool) {
	v, ok := o[name]
	if !ok {
		return "", false
	}
	return jsonrpc.Text(v)
}

// object returns a member that is an object, nil where it is none.
func (o object) object(name string) object {
	var m object
	if v, ok := o[name]; ok && json.Unmarshal(v, &m) == nil {
		return m
	}
	return nil
}

// isArray reports whether the member is an array.
func (o object) isArray(name string) bool {
	v := o[name]
	return len(v) > 0 && v[0] == '['
}

// answersLoosely reports whether the object's id is want, or reads the same as text: "2" answers 2.
func (o object) answersLoosely(want jsonrpc.ID) bool {
	got := jsonrpc.ID(o["id"])
	return got.Equal(want) || idText(got) == idText(want) && got != "" && got != "null"
}

// idText returns an id as Ruby's to_s gives it.
func idText(id jsonrpc.ID) string {
	if s, ok := jsonrpc.Text([]byte(id)); ok {
		return s
	}
	return string(id)
}
