package replay

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"mcptrace/capture/wire/jsonrpc"
)

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
