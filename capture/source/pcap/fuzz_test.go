package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"math/rand"
	"testing"
)

// FuzzRead: whatever the bytes, no panic, and all that recorder checks holds. Where they are read whole, they are read
// the same in pieces.
func FuzzRead(f *testing.F) {
	packets := newTalk().packets(call()...)
	f.Add(file(packets...))
	f.Add(everyBlock(binary.LittleEndian, binary.BigEndian))
	f.Add(classicFile(binary.BigEndian, magicModified, packets))
	f.Add(gz(file(packets[:4]...)))
	f.Add(zst(file(packets[:4]...)))
	for _, link := range []uint32{linkNull, linkSLL, linkSLL2, linkRaw, 9, 105, 127} {
		in := file(packets[:5]...)
		binary.LittleEndian.PutUint32(in[20:], link)
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		r := &recorder{t: t}
		limits := Limits{OutOfOrder: 4096, OutOfOrderTotal: 8192, Connections: 8}
		q, err := Read(context.Background(), []Input{{Path: "x", R: bytes.NewReader(in)}}, r, Options{Limits: limits})
		var fe *FormatError
		if err != nil && !errors.As(err, &fe) {
			t.Fatal(err)
		}
		r.closed()
		again := &recorder{t: t}
		pieces := &randomReader{bytes.NewReader(in), rand.New(rand.NewSource(int64(len(in))))}
		q2, err2 := Read(context.Background(), []Input{{Path: "x", R: pieces}}, again, Options{Limits: limits})
		if (err == nil) != (err2 == nil) || len(r.conns) != len(again.conns) || err == nil && q[0].Packets != q2[0].Packets {
			t.Fatalf("in pieces: %v, whole: %v", err2, err)
		}
		for i, d := range r.conns {
			if logWithoutPackets(d) != logWithoutPackets(again.conns[i]) {
				t.Fatalf("connection %d differs in pieces", i)
			}
		}
	})
}

// FuzzSegments lets the fuzzer write packets of one connection: what recorder checks must hold, and bytes told must be
// those that some packet carried.
func FuzzSegments(f *testing.F) {
	f.Add([]byte("\x00\x02\x00\x00\x00\x01\x12\x00\x00\x00\x00\x10\x01\x00\x05\x01\x18\x01\x00\x05\x00\x11\x06\x05\x00"))
	f.Add([]byte("\x00\x18\x01\x01\x05\x00\x18\x09\x01\x05\x01\x10\x01\x0e\x00\x00\x18\x06\x01\x03\x01\x04\x01\x00\x00\x00\x02\x50\x00\x00"))
	f.Fuzz(func(t *testing.T, program []byte) {
		k := newTalk()
		var stream [2][256 * 4]byte
		for i := range stream {
			copy(stream[i][:], text(len(stream[i]), int64(i)))
		}
		var packets []raw
		for ms := 0; len(program) >= 5 && len(packets) < 200; ms++ {
			op := program[:5]
			program = program[5:]
			p := pkt{ms: float64(ms) * float64(op[0]>>1), side: "cs"[op[0]&1], seq: int64(op[2]), ack: int64(op[3])}
			for i, name := range "FSRPA" {
				if op[1]>>i&1 == 1 {
					p.flags += string(name)
				}
			}
			if first := p.seq + int64(op[1]>>1&1); first > 0 { // a SYN takes a number
				p.data = string(stream[op[0]&1][first:][:op[4]&63])
				p.cut = min(int(op[4]>>6), len(p.data))
			}
			packets = append(packets, k.packet(p))
		}
		r, _ := readBytes(t, file(packets...))
		for _, d := range r.conns {
			for side := range d.dir {
				got := d.dir[side].data
				if d.dir[side].missing > 0 || d.conn.MidStart || len(got) == 0 {
					continue
				}
				if !bytes.Contains(stream[0][:], got) && !bytes.Contains(stream[1][:], got) {
					t.Fatalf("bytes nobody sent: %q", got)
				}
			}
		}
	})
}
