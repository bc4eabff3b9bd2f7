package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"
	"github.com/google/gopacket/reassembly"
)

// bare reads, decodes and reassembles a capture with gopacket, in its quickest way, and does nothing with the bytes: what
// a program that uses the library pays before it has looked at anything.
func bare(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := pcapgo.NewReader(bufio.NewReaderSize(f, 1<<20))
	if err != nil {
		return err
	}
	var eth layers.Ethernet
	var ip4 layers.IPv4
	var ip6 layers.IPv6
	var tcp layers.TCP
	var payload gopacket.Payload
	parser := gopacket.NewDecodingLayerParser(layers.LayerTypeEthernet, &eth, &ip4, &ip6, &tcp, &payload)
	parser.IgnoreUnsupported = true
	var found []gopacket.LayerType
	var n counter
	assembler := reassembly.NewAssembler(reassembly.NewStreamPool(&n))
	for {
		data, info, err := r.ZeroCopyReadPacketData()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		parser.DecodeLayers(data, &found)
		for _, l := range found {
			if l != layers.LayerTypeTCP {
				continue
			}
			flow := ip4.NetworkFlow()
			if found[1] == layers.LayerTypeIPv6 {
				flow = ip6.NetworkFlow()
			}
			assembler.AssembleWithContext(flow, &tcp, stamp(info))
		}
	}
	assembler.FlushAll()
	fmt.Println(int64(n), "bytes in streams")
	return nil
}

type stamp gopacket.CaptureInfo

// GetCaptureInfo implements reassembly.AssemblerContext.
func (s stamp) GetCaptureInfo() gopacket.CaptureInfo { return gopacket.CaptureInfo(s) }

// counter is a stream, and the factory of all of them, that counts bytes.
type counter int64

// New implements reassembly.StreamFactory.
func (n *counter) New(gopacket.Flow, gopacket.Flow, *layers.TCP, reassembly.AssemblerContext) reassembly.Stream {
	return n
}

// Accept implements reassembly.Stream.
func (n *counter) Accept(*layers.TCP, gopacket.CaptureInfo, reassembly.TCPFlowDirection, reassembly.Sequence, *bool, reassembly.AssemblerContext) bool {
	return true
}

// ReassembledSG implements reassembly.Stream.
func (n *counter) ReassembledSG(sg reassembly.ScatterGather, _ reassembly.AssemblerContext) {
	length, _ := sg.Lengths()
	*n += counter(length)
}

// ReassemblyComplete implements reassembly.Stream.
func (n *counter) ReassemblyComplete(reassembly.AssemblerContext) bool { return true }
