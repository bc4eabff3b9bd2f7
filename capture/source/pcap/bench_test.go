package pcap

import (
	"context"
	"os"
	"testing"

	"mcptrace/capture"
)

// sink takes everything and keeps nothing.
type sink struct{ bytes int64 }

func (k *sink) Connection(*capture.Conn) capture.Duplex              { return k }
func (k *sink) ConnectFailure(capture.ConnectFailure)                {}
func (k *sink) Secrets([]byte)                                       {}
func (k *sink) Data(_ capture.Side, p []byte, _ capture.Stamp)       { k.bytes += int64(len(p)) }
func (k *sink) Missing(capture.Side, int64, capture.Stamp)           {}
func (k *sink) Ack(_ capture.Side, _ int64, _ bool, _ capture.Stamp) {}
func (k *sink) End(capture.Side, capture.How, capture.Stamp)         {}
func (k *sink) Close(capture.Stamp)                                  {}

// BenchmarkFile reads the capture MCPTRACE_BENCH whole.
func BenchmarkFile(b *testing.B) {
	name := os.Getenv("MCPTRACE_BENCH")
	st, err := os.Stat(name)
	if err != nil {
		b.Skip("MCPTRACE_BENCH names no file")
	}
	b.SetBytes(st.Size())
	b.ReportAllocs()
	for range b.N {
		if _, err := Read(context.Background(), []Input{{Path: name}}, &sink{}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
