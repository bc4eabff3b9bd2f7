package replay_test

import (
	"context"
	"os"
	"path/filepath"
	"sort"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
)

// exchange is one exchange of a capture with what its bytes mean.
type exchange struct {
	name string
	ex   *capture.Exchange
	rd   *capture.Reading
	last time.Duration
}

// readCapture returns the MCP exchanges of a capture file, in order.
func readCapture(t testing.TB, path string) []exchange {
	t.Helper()
	var out []exchange
	rec := &capture.Recognizer{Out: func(ex *capture.Exchange, rd *capture.Reading) {
		out = append(out, exchange{filepath.Base(path), ex, rd, 0})
	}}
	asm := &capture.Assembly{Sink: rec.Add}
	if _, err := pcap.Read(context.Background(), []pcap.Input{{Path: path}}, asm, pcap.Options{}); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	rec.Close()
	sort.Slice(out, func(i, j int) bool { return out[i].ex.Seq < out[j].ex.Seq })
	for i := range out {
		out[i].last = out[i].ex.Conn.Last.Sub(out[i].ex.Start)
	}
	return out
}

// captures returns the project's own captures, and those that stand beside the project where there are any.
func captures(t testing.TB) []string {
	t.Helper()
	out, err := filepath.Glob("../testdata/pcaps/*.pcap*")
	if err != nil || len(out) == 0 {
		t.Fatal("no captures in testdata/pcaps")
	}
	more, _ := filepath.Glob(filepath.Join(beside(), "cases", "*.pcap"))
	return append(out, more...)
}

// beside returns the folder of reference material, "" where there is none.
func beside() string {
	for _, dir := range []string{"../../shared", "../../../shared", "../../../../shared"} {
		if st, err := os.Stat(dir); err == nil && st.IsDir() {
			return dir
		}
	}
	return ""
}
