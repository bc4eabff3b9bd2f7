package tls_test

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"os"

	"mcptrace/capture/wire/tls"
)

// printer prints what a Conn makes of a connection.
type printer struct{}

func (printer) Plain(fromClient bool, p []byte, start, end int64) {
	fmt.Printf("client %v: %q, readable at byte %d\n", fromClient, p, end)
}
func (printer) Lost(fromClient bool, start, end, plainLen int64) {
	fmt.Printf("client %v: bytes %d to %d lost\n", fromClient, start, end)
}
func (printer) Alert(fromClient, fatal bool, code uint8, end int64) {
	fmt.Printf("client %v: alert %d\n", fromClient, code)
}
func (printer) Hello(info tls.Info) { fmt.Println(info.Version, info.Suite) }
func (printer) Opaque(why string)   { fmt.Println("not readable:", why) }

func Example() {
	text, err := os.ReadFile("testdata/tls12gcm.txt") // key log lines, then what each side sent
	if err != nil {
		panic(err)
	}
	keys := tls.NewKeyLog()
	conn := tls.New(keys, printer{})
	for line := range bytes.Lines(text) {
		if side := line[0]; side == '<' || side == '>' {
			data, _ := hex.DecodeString(string(bytes.TrimSpace(line[2:])))
			conn.Write(side == '>', data)
		} else {
			keys.Add(line)
		}
	}
	conn.Close()
	// Output:
	// TLS 1.2 TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
	// client true: "a question", readable at byte 341
	// client false: "a question", readable at byte 575
	// client false: "a question", readable at byte 614
	// client true: "another", readable at byte 377
	// client false: "another", readable at byte 650
	// client false: "another", readable at byte 686
	// client true: "the last", readable at byte 414
	// client false: "the last", readable at byte 723
	// client false: "the last", readable at byte 760
	// client true: alert 0
	// client false: alert 0
}
