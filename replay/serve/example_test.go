package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/replay/serve"
)

// A test of a client: the recorded answer is sent whole, then the connection is reset; what does the client do?
func Example() {
	call := capturetest.Call("1", "tools/call", `{"name":"pay"}`)
	talk := capturetest.NewTalk(40000).Ask(capturetest.Post("/mcp", call)).
		Answer(capturetest.Stream(), capturetest.Chunk(capturetest.Event(capturetest.Text("1", "paid"))), capturetest.LastChunk)
	rec := &serve.Recording{}
	for _, ex := range capturetest.Exchanges(talk) { // or those of a capture or a recording
		rec.Add(ex, capture.Read(ex))
	}

	s, err := serve.Start(rec, serve.Options{Speed: serve.Max, Cuts: []serve.Cut{{At: serve.AfterAnswer, End: serve.RST}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	careless := func(id string) error {
		r, err := http.Post(s.URL(), "application/json", strings.NewReader(strings.Replace(call, `"id":1`, `"id":`+id, 1)))
		if err == nil {
			_, err = io.ReadAll(r.Body)
			r.Body.Close()
		}
		return err
	}
	if careless("7") != nil {
		err = careless("8")
	}
	s.Close()
	for _, p := range s.Outcome(err == nil) {
		fmt.Printf("%s, id %s: %s (%s)\n", p.Method, p.ID, p.Verdict, p.Did)
	}
	// Output:
	// tools/call, id 7: duplicated (was there when it broke, issued it again with id 8)
	// tools/call, id 8: settled (waited for the end)
}
