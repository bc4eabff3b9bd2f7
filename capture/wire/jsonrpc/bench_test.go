package jsonrpc

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

func benchMessages() map[string][]byte {
	var rows []string
	for i := range 600 {
		rows = append(rows, fmt.Sprintf(`{"id":%d,"name":"row %d","tags":["a","b"],"ok":true,"score":%d.5}`, i, i, i))
	}
	return map[string][]byte{
		"notification": []byte(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"t1","progress":5,"total":10,"message":"` + strings.Repeat("x", 180) + `"}}`),
		"text1MB":      []byte(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("lorem ipsum dolor sit amet, ", 37000) + `"}]}}`),
		"structured":   []byte(`{"jsonrpc":"2.0","id":1,"result":{"rows":[` + strings.Join(rows, ",") + `]}}`),
	}
}

func BenchmarkParse(b *testing.B) {
	for name, msg := range benchMessages() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := Parse(msg); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(name+"/json.Valid", func(b *testing.B) {
			b.SetBytes(int64(len(msg)))
			for b.Loop() {
				json.Valid(msg)
			}
		})
	}
}
