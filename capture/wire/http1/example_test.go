package http1_test

import (
	"fmt"

	"mcptrace/capture/wire/http1"
)

func ExampleSpans() {
	wire := "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" +
		"8\r\ndata: a\n\r\n1\r\n\n\r\n0\r\n"
	head, headEnd, spans, complete := http1.Spans([]byte(wire), false, "POST")
	fmt.Println(head.Status, head.Framing, headEnd)
	for _, s := range spans {
		fmt.Printf("%q\n", wire[s[0]:s[1]])
	}
	fmt.Println("complete:", complete) // the empty line behind the last chunk is missing
	// Output:
	// 200 chunked 47
	// "data: a\n"
	// "\n"
	// complete: false
}
