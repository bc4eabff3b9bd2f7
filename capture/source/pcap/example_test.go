package pcap_test

import (
	"context"
	"fmt"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/source/pcap"
)

// printer prints what it is told.
type printer struct{}

func (printer) Connection(c *capture.Conn) capture.Duplex {
	fmt.Println("connection", c.ID, c.Client, "->", c.Server)
	return printer{}
}
func (printer) ConnectFailure(f capture.ConnectFailure)                 { fmt.Println(f.Kind) }
func (printer) Secrets([]byte)                                          {}
func (printer) Data(from capture.Side, p []byte, s capture.Stamp)       { fmt.Println(from, len(p), "bytes") }
func (printer) Missing(from capture.Side, n int64, s capture.Stamp)     { fmt.Println(from, n, "missing") }
func (printer) Ack(of capture.Side, off int64, _ bool, _ capture.Stamp) {}
func (printer) End(by capture.Side, how capture.How, s capture.Stamp)   { fmt.Println(by, "ended") }
func (printer) Close(capture.Stamp)                                     { fmt.Println("closed") }

// A pcap of one packet: raw IP, a request from the middle of a connection.
func ExampleRead() {
	in := "\xd4\xc3\xb2\xa1\x02\x00\x04\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x04\x00\x65\x00\x00\x00" + // file header
		"\x00\x00\x00\x6a\x00\x00\x00\x00\x2d\x00\x00\x00\x2d\x00\x00\x00" + // record
		"\x45\x00\x00\x2d\x00\x01\x00\x00\x40\x06\x00\x00\xc0\x00\x02\x0a\xc6\x33\x64\x14" + // IPv4
		"\x9c\x41\x1f\x90\x00\x00\x00\x01\x00\x00\x00\x01\x50\x18\xfa\xf0\x00\x00\x00\x00" + "GET /" // TCP
	quality, err := pcap.Read(context.Background(), []pcap.Input{{Path: "x.pcap", R: strings.NewReader(in)}}, printer{}, pcap.Options{})
	fmt.Println(quality[0].Packets, quality[0].MidStartConnections, err)
	// Output:
	// connection 1 192.0.2.10:40001 -> 198.51.100.20:8080
	// client 5 bytes
	// closed
	// 1 1 <nil>
}
