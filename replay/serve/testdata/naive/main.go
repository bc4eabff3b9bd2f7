// Naive is an MCP client that makes the mistake which mcptrace looks for: it reads a response to its end before it looks
// at it, and issues the call again when that fails, even if the answer had been there.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

var session string

func main() {
	url := os.Getenv("MCPTRACE_URL")
	if _, err := post(url, `{"jsonrpc":"2.0","id":100,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"naive","version":"1"}}}`); err != nil {
		fail(err)
	}
	if _, err := post(url, `{"jsonrpc":"2.0","method":"notifications/initialized"}`); err != nil {
		fail(err)
	}
	for id := 101; ; id++ {
		text, err := post(url, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"pay","arguments":{"amount":5}}}`, id))
		if err != nil && id < 103 {
			continue // once more: this is the mistake
		}
		if err == nil && !strings.Contains(text, fmt.Sprintf(`"id":%d`, id)) {
			err = fmt.Errorf("no answer to %d in %q", id, text)
		}
		if err != nil {
			fail(err)
		}
		return
	}
}

func post(url, body string) (string, error) {
	q, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Accept", "application/json, text/event-stream")
	if session != "" {
		q.Header.Set("Mcp-Session-Id", session)
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return "", err
	}
	defer r.Body.Close()
	if s := r.Header.Get("Mcp-Session-Id"); s != "" {
		session = s
	}
	text, err := io.ReadAll(r.Body)
	if bytes.HasPrefix(text, []byte("{")) && !json.Valid(text) {
		return "", fmt.Errorf("half an answer")
	}
	return string(text), err
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
