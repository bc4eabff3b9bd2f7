package coding_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"mcptrace/capture/wire/coding"
)

func ExampleDecoder() {
	var wire bytes.Buffer
	w := gzip.NewWriter(&wire)
	io.WriteString(w, "data: 1\n\n")
	w.Flush() // all so far can be decoded, although the stream has no end

	d, err := coding.New("gzip", 1<<20)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	d.Write(wire.Bytes(), func(out []byte) { fmt.Printf("%q\n", out) })
	fmt.Println(d.Err())
	// Output:
	// "data: 1\n\n"
	// <nil>
}
