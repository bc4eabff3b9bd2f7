package pcap

import (
	"fmt"
	"os"
	"testing"
)

// TestDump prints what is told of the capture files in MCPTRACE_DUMP.
func TestDump(t *testing.T) {
	name := os.Getenv("MCPTRACE_DUMP")
	if name == "" {
		t.Skip("MCPTRACE_DUMP names no file")
	}
	r, q := read(t, Options{}, Input{Path: name})
	for _, d := range r.conns {
		fmt.Printf("%+v\n", *d.conn)
		for _, l := range d.log {
			fmt.Println("  ", l)
		}
	}
	fmt.Printf("%+v\n%+v\n", r.failures, q)
}
