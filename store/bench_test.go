package store

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mcptrace/capture"
)

// traffic returns n exchanges of about size bytes each, in event streams, and how many bytes they have together.
func traffic(n, size int) (exs []*capture.Exchange, conns []*capture.Conn, bytes int64) {
	a, out := gather()
	for i := 0; i < n; i += 100 {
		c := newTalk(a, int64(i))
		for k := i; k < min(n, i+100); k++ {
			c.post("/mcp", "Mcp-Session-Id: 1868a90c-0000-4000-8000-"+fmt.Sprintf("%012d\r\nAuthorization: Bearer t0ken-%d\r\n", i, i), `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t"}}`)
			event := `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum dolor sit amet ", max(1, min(size, 4096)/27)) + `"}]}}` + "\n\n"
			var events []string
			for sent := 0; sent < size; sent += len(event) {
				events = append(events, event)
			}
			c.stream("", events...)
			c.finish("")
		}
		c.duplex.Close(c.stamp())
	}
	for _, ex := range *out {
		bytes += ex.Request.Wire.Len() + ex.Response.Wire.Len()
	}
	return *out, a.Conns(), bytes
}

func BenchmarkWrite(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 500 << 10} {
		for _, o := range []Options{{KeepSecrets: true}, {}} {
			b.Run(fmt.Sprintf("%dKiB/keep=%v", size>>10, o.KeepSecrets), func(b *testing.B) {
				exs, conns, bytes := traffic((50<<20)/size, size)
				b.SetBytes(bytes)
				dir := b.TempDir()
				var stored int64
				for i := 0; b.Loop(); i++ {
					path := filepath.Join(dir, fmt.Sprint(i))
					w, err := Create(path, Meta{}, o)
					if err != nil {
						b.Fatal(err)
					}
					for _, ex := range exs {
						if err := w.AddWith(ex, Hints{Method: "tools/call", ID: "1", Name: "t"}); err != nil {
							b.Fatal(err)
						}
					}
					if err := w.Finish(nil, conns); err != nil {
						b.Fatal(err)
					}
					if err := w.Close(); err != nil {
						b.Fatal(err)
					}
					info, _ := os.Stat(path)
					stored = info.Size()
					os.Remove(path)
				}
				b.ReportMetric(float64(stored)/float64(bytes), "size/payload")
			})
		}
	}
}

func BenchmarkRead(b *testing.B) {
	for _, size := range []int{1 << 10, 10 << 10, 500 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			exs, conns, bytes := traffic((50<<20)/size, size)
			path := recordAll(b, Options{}, exs, conns)
			b.SetBytes(bytes)
			for b.Loop() {
				r, err := Open(path)
				if err != nil {
					b.Fatal(err)
				}
				for ex, err := range r.Exchanges(context.Background()) {
					if err != nil {
						b.Fatal(err)
					}
					ex.Release()
				}
				r.Close()
			}
		})
	}
}
