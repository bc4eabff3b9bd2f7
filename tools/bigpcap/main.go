// Bigpcap writes a large capture and, beside it, the truth about it as JSON: what mcptrace analyze has to find.
//
// Its traffic is mixed, or has one of the shapes that show what time and memory grow with:
//
//	one    a connection with n exchanges
//	short  n connections with one exchange each
//	open   n connections that stay open, with one call each that waits
//	large  a response with n bytes of text
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"mcptrace/capture/capturetest/bigpcap"
)

// mixed is the traffic that has no shape.
const mixed = "mixed"

func main() {
	out := flag.String("o", "big.pcap", "file to write; the truth goes to the same name with .truth.json")
	mb := flag.Int64("mb", 500, "size of mixed traffic in millions of bytes")
	seed := flag.Uint64("seed", 1, "another seed, another capture of mixed traffic")
	shape := flag.String("shape", mixed, "the traffic: mixed, one, short, open or large")
	n := flag.Int64("n", 10000, "size of a shape: its exchanges, connections or bytes of text")
	flag.Parse()
	if err := run(*out, *shape, *n, bigpcap.Options{Bytes: *mb * 1e6, Seed: *seed}); err != nil {
		fmt.Fprintln(os.Stderr, "bigpcap:", err)
		os.Exit(1)
	}
}

// run writes mixed traffic as o says, or n of a shape.
func run(path, shape string, n int64, o bigpcap.Options) error {
	if shape == mixed {
		return write(path, func(w io.Writer) (bigpcap.Truth, error) { return bigpcap.Generate(w, o) })
	}
	generate, err := newShape(shape, n)
	if err != nil {
		return err
	}
	return write(path, generate)
}

// generator writes a capture and returns the truth about it.
type generator func(w io.Writer) (bigpcap.Truth, error)

func write(path string, generate generator) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	truth, err := generate(f)
	if err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	text, err := json.MarshalIndent(truth, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(strings.TrimSuffix(path, ".pcap")+".truth.json", append(text, '\n'), 0o644)
}
