package replay_test

import (
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// stream returns an exchange whose body is size bytes of notifications and an answer, in packets of 1400 bytes.
func stream(size int) exchange {
	event := `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"` + strings.Repeat("x", 80) + `"}}` + "\n\n"
	answer := `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("y", 2000) + `"}]}}` + "\n\n"
	wire := sseHead + "Transfer-Encoding: chunked\r\n\r\n" + chunked(strings.Repeat(event, (size-len(answer))/len(event))+answer, 4000)
	var parts []part
	for i := 0; i < len(wire); i += 1400 {
		parts = append(parts, part{time.Duration(i/1400+1) * ms / 100, wire[i:min(i+1400, len(wire))]})
	}
	return made("1", capture.FIN, parts...)
}

func BenchmarkProducts(b *testing.B) {
	e := stream(10 << 20)
	for _, p := range replay.Policies() {
		if !p.NeedsBytes() {
			continue
		}
		b.Run(p.Name, func(b *testing.B) {
			b.SetBytes(e.ex.Response.BodyLen())
			b.ReportAllocs()
			for b.Loop() {
				replay.Run(e.ex, e.rd, p, e.last, replay.Options{})
			}
		})
	}
}

func BenchmarkProductSweep(b *testing.B) {
	e := stream(60 << 10)
	for _, p := range replay.Policies() {
		if !p.NeedsBytes() {
			continue
		}
		b.Run(p.Name, func(b *testing.B) {
			for b.Loop() {
				replay.Sweep(e.ex, e.rd, replay.FIN, p, replay.Options{})
			}
		})
	}
}
