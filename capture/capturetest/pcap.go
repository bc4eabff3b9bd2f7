package capturetest

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// PcapWriter writes frames to a pcap file with times in nanoseconds, link type Ethernet.
//
// Source: draft-ietf-opsawg-pcap.
type PcapWriter struct {
	w       io.Writer
	head    [16]byte
	started bool
}

// NewPcapWriter returns a PcapWriter. The file's header goes out with the first frame or with Close.
func NewPcapWriter(w io.Writer) *PcapWriter { return &PcapWriter{w: w} }

// Write writes one frame.
func (p *PcapWriter) Write(at time.Time, frame []byte) error {
	if err := p.start(); err != nil {
		return err
	}
	h := p.head[:]
	binary.LittleEndian.PutUint32(h, uint32(at.Unix()))
	binary.LittleEndian.PutUint32(h[4:], uint32(at.Nanosecond()))
	binary.LittleEndian.PutUint32(h[8:], uint32(len(frame)))
	binary.LittleEndian.PutUint32(h[12:], uint32(len(frame)))
	if _, err := p.w.Write(h); err != nil {
		return err
	}
	_, err := p.w.Write(frame)
	return err
}

// Close writes the header of a file that holds no frame. It does not close the writer beneath.
func (p *PcapWriter) Close() error { return p.start() }

func (p *PcapWriter) start() error {
	if p.started {
		return nil
	}
	p.started = true
	var h [24]byte
	binary.LittleEndian.PutUint32(h[:], 0xa1b23c4d)
	h[4], h[6] = 2, 4
	binary.LittleEndian.PutUint32(h[16:], 1<<18)
	h[20] = 1
	_, err := p.w.Write(h[:])
	return err
}

// WritePcap writes what passed in talks as one pcap file, in order of time.
func WritePcap(w io.Writer, talks ...*Talk) error {
	var all []passed
	for _, k := range talks {
		all = append(all, k.packets()...)
	}
	slices.SortStableFunc(all, func(x, y passed) int { return cmp.Compare(x.at, y.at) })
	p := NewPcapWriter(w)
	for i := range all {
		if err := p.Write(all[i].at.Time(), all[i].seg.AppendFrame(nil)); err != nil {
			return err
		}
	}
	return p.Close()
}

// Pcap returns what passed in talks as the bytes of a pcap file.
func Pcap(talks ...*Talk) []byte {
	var b bytes.Buffer
	WritePcap(&b, talks...) // a Buffer never fails
	return b.Bytes()
}

// File writes what passed in talks to a pcap file that goes away with the test, and returns its path.
func File(t testing.TB, talks ...*Talk) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "talk.pcap")
	if err := os.WriteFile(path, Pcap(talks...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
