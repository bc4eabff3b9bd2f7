// Bigpcap writes a large capture and, beside it, the truth about it as JSON: what mcptrace analyze has to find.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strings"

	"mcptrace/capture/capturetest/bigpcap"
)

func main() {
	out := flag.String("o", "big.pcap", "file to write; the truth goes to the same name with .truth.json")
	mb := flag.Int64("mb", 500, "size in millions of bytes")
	seed := flag.Uint64("seed", 1, "another seed, another capture")
	flag.Parse()
	if err := write(*out, bigpcap.Options{Bytes: *mb * 1e6, Seed: *seed}); err != nil {
		fmt.Fprintln(os.Stderr, "bigpcap:", err)
		os.Exit(1)
	}
}

func write(path string, o bigpcap.Options) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	truth, err := bigpcap.Generate(f, o)
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
