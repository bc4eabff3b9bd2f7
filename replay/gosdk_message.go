package replay

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"mcptrace/capture/wire/jsonrpc"
)

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
