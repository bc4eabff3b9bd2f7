package http2_test

import (
	"fmt"

	"mcptrace/capture/wire/http2"
)

// printer is told of more than it prints.
type printer struct{ http2.Handler }

func (printer) Headers(stream uint32, fields []http2.Field, endStream bool, start, end int64, complete bool) {
	fmt.Printf("[%d,%d) stream %d: %v\n", start, end, stream, fields)
}

func (printer) Data(stream uint32, p []byte, start, end int64, off int64) {
	fmt.Printf("%d: stream %d: %q\n", off, stream, p)
}

func (printer) LostData(stream uint32, n int64, off int64) {
	fmt.Printf("%d: stream %d: %d bytes not seen\n", off, stream, n)
}

func (printer) DataEnd(stream uint32, endStream bool, end int64) {
	fmt.Printf("%d: stream %d: end of frame, end of stream %v\n", end, stream, endStream)
}

func Example() {
	r := http2.NewReader(printer{}, false)
	r.Write([]byte("\x00\x00\x01\x01\x04\x00\x00\x00\x01\x88")) // HEADERS, :status 200
	r.Write([]byte("\x00\x00\x0a\x00\x01\x00\x00\x00\x01data:"))
	r.Missing(3)
	r.Write([]byte("\n\n"))
	// Output:
	// [0,10) stream 1: [{:status 200}]
	// 19: stream 1: "data:"
	// 24: stream 1: 3 bytes not seen
	// 27: stream 1: "\n\n"
	// 29: stream 1: end of frame, end of stream true
}
