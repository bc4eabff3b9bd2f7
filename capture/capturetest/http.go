package capturetest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Post returns a POST of body to path, with further header lines such as "Mcp-Session-Id: s".
func Post(path, body string, header ...string) string {
	return fmt.Sprintf("POST %s HTTP/1.1\r\nHost: mcp.example\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n%sContent-Length: %d\r\n\r\n%s",
		path, lines(header), len(body), body)
}

// Get returns a GET of path that asks for a stream.
func Get(path string, header ...string) string {
	return fmt.Sprintf("GET %s HTTP/1.1\r\nHost: mcp.example\r\nAccept: text/event-stream\r\n%s\r\n", path, lines(header))
}

// Call returns a JSON-RPC request. id and params are JSON; "" leaves params out.
func Call(id, method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q,"params":%s}`, id, method, params)
}

// Note returns a JSON-RPC notification. params is JSON; "" leaves it out.
func Note(method, params string) string {
	if params == "" {
		return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q}`, method)
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params)
}

// Result returns a JSON-RPC result. id and result are JSON.
func Result(id, result string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, id, result)
}

// Text returns the result of a tool that says text.
func Text(id, text string) string {
	quoted, _ := json.Marshal(text) // a string never fails
	return Result(id, fmt.Sprintf(`{"content":[{"type":"text","text":%s}]}`, quoted))
}

// JSON returns a response with body, a JSON text.
func JSON(body string, header ...string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", lines(header), len(body), body)
}

// Accepted returns the response to a notification.
func Accepted() string { return "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n" }

// Stream returns the head of a chunked event stream.
func Stream(header ...string) string {
	return "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\n" + lines(header) + "Transfer-Encoding: chunked\r\n\r\n"
}

// Event returns a server-sent event with data as its message.
func Event(data string) string { return "event: message\ndata: " + data + "\n\n" }

// Chunk returns body as one transfer chunk.
func Chunk(body string) string { return fmt.Sprintf("%x\r\n%s\r\n", len(body), body) }

// LastChunk ends a chunked body.
const LastChunk = "0\r\n\r\n"

func lines(header []string) string {
	if len(header) == 0 {
		return ""
	}
	return strings.Join(header, "\r\n") + "\r\n"
}
