package sse_test

import (
	"fmt"

	"mcptrace/capture/wire/sse"
)

type printer struct{}

func (printer) Event(e *sse.Event)       { fmt.Printf("event [%d,%d) %s\n", e.Start, e.End, e.Data) }
func (printer) Comment(start, end int64) { fmt.Printf("comment [%d,%d)\n", start, end) }
func (printer) CRLF(end int64)           { fmt.Printf("LF at %d\n", end) }

func ExampleScanner() {
	s := sse.NewScanner(printer{})
	for _, piece := range []string{": hi\n", "data: {\"id\":", "1}\n", "\n", "data: {\"id\":2"} {
		s.Write([]byte(piece))
	}
	tail := s.Tail()
	fmt.Printf("tail of %d bytes at %d: %s\n", tail.Len, tail.Start, tail.Data)
	// Output:
	// comment [0,5)
	// event [0,21) {"id":1}
	// tail of 13 bytes at 21: {"id":2
}
