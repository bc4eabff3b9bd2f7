package pcap

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/zstd"

	"mcptrace/capture"
)

func gz(p []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	w.Write(p)
	w.Close()
	return b.Bytes()
}

func zst(p []byte) []byte {
	w, _ := zstd.NewWriter(nil)
	return w.EncodeAll(p, nil)
}

// classicFile writes packets as a pcap of any magic and order.
func classicFile(order binary.AppendByteOrder, magic uint32, packets []raw) []byte {
	b := order.AppendUint32(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	for _, v := range []uint32{0, 0, 0, linkEthernet | 0x14000000} { // with a length of frame check sequences
		b = order.AppendUint32(b, v)
	}
	if magic == magicIxiaHW {
		b = order.AppendUint32(b, 0)
	}
	for _, p := range packets {
		fraction := uint32(p.at.Nanosecond())
		if magic == magicMicro || magic == magicModified {
			fraction /= 1000
		}
		for _, v := range []uint32{uint32(p.at.Unix()), fraction, uint32(len(p.data)), uint32(p.length)} {
			b = order.AppendUint32(b, v)
		}
		if magic == magicModified {
			b = append(b, make([]byte, 8)...)
		}
		b = append(b, p.data...)
	}
	return b
}

// Every file format, bare and compressed, in whatever pieces it comes.
func TestFormats(t *testing.T) {
	packets := newTalk().packets(call()...)
	le, be := binary.LittleEndian, binary.BigEndian
	files := map[string][]byte{
		"pcap":          classicFile(le, magicMicro, packets),
		"pcap, be":      classicFile(be, magicMicro, packets),
		"pcap, ns":      classicFile(le, magicNano, packets),
		"pcap, ns, be":  classicFile(be, magicNano, packets),
		"pcap modified": classicFile(le, magicModified, packets),
		"pcap ixia":     classicFile(be, magicIxiaHW, packets),
		"pcapng":        everyBlock(le),
	}
	plain := files["pcap, ns"]
	files["gzip"] = gz(plain)
	files["gzip of pcapng"] = gz(files["pcapng"])
	files["gzip in two members"] = append(gz(plain[:100]), gz(plain[100:])...)
	files["zstd"] = zst(plain)
	files["zstd in two frames"] = append(zst(plain[:100]), zst(plain[100:])...)
	for name, in := range files {
		t.Run(name, func(t *testing.T) {
			if !Sniff(in) || !Sniff(in[:min(len(in), 512)]) || !Sniff(in[:4]) {
				t.Error("not sniffed")
			}
			rng := rand.New(rand.NewSource(1))
			for piece, r := range map[string]io.Reader{
				"whole": bytes.NewReader(in), "byte by byte": iotest.OneByteReader(bytes.NewReader(in)),
				"data with EOF": iotest.DataErrReader(bytes.NewReader(in)), "random": &randomReader{bytes.NewReader(in), rng},
			} {
				rec, q := read(t, Options{}, Input{R: r})
				if len(rec.conns) != 1 || logWithoutPackets(rec.conns[0]) != callLog || q[0].Packets != int64(len(packets)) || q[0].TruncatedInput {
					t.Errorf("%s: %+v", piece, q[0])
				}
				first, last := capture.Instant(packets[0].at.UnixNano()), capture.Instant(packets[len(packets)-1].at.UnixNano())
				if q[0].First != first || q[0].Last != last {
					t.Errorf("%s: times %d to %d, want %d to %d", piece, q[0].First, q[0].Last, first, last)
				}
			}
		})
	}
}

type randomReader struct {
	r   io.Reader
	rng *rand.Rand
}

func (r *randomReader) Read(p []byte) (int, error) {
	return r.r.Read(p[:min(len(p), r.rng.Intn(40))])
}

// Cut at every byte, a file gives the packets that are whole, and says where it was cut; but at the end of a packet that
// cannot be known.
func TestTruncatedFiles(t *testing.T) {
	packets := newTalk().packets(call()...)
	for name, in := range map[string][]byte{"pcap": file(packets...), "pcapng": everyBlock(binary.LittleEndian), "gzip": gz(file(packets...)), "zstd": zst(file(packets...))} {
		t.Run(name, func(t *testing.T) {
			seen, clean := int64(0), 0
			for n := range len(in) + 1 {
				rec := &recorder{t: t}
				q, err := Read(context.Background(), []Input{{Path: "x", R: bytes.NewReader(in[:n])}}, rec, Options{})
				var fe *FormatError
				if err != nil {
					if !errors.As(err, &fe) || len(rec.conns) > 0 || seen > 0 || strings.ContainsAny(err.Error(), "\n") {
						t.Fatalf("%d bytes: %v", n, err)
					}
					continue
				}
				rec.closed()
				if q[0].Packets < seen {
					t.Fatalf("%d bytes: %d packets, %d before", n, q[0].Packets, seen)
				}
				seen = q[0].Packets
				if !q[0].TruncatedInput {
					clean++
				} else if q[0].TruncatedAt > int64(n) && (name == "pcap" || name == "pcapng") || len(q[0].Notes) == 0 {
					t.Fatalf("%d bytes: %+v", n, q[0])
				}
			}
			if seen != int64(len(packets)) {
				t.Errorf("%d packets in the whole", seen)
			}
			if want := len(packets) + 1; name == "pcap" && clean != want {
				t.Errorf("%d cuts look clean, want %d", clean, want)
			}
			if (name == "gzip" || name == "zstd") && clean != 1 {
				t.Errorf("%d cuts look clean, want 1", clean)
			}
		})
	}
}

// What cannot be read at all is told in one line.
func TestErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, p []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, p, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct{ path, want string }{
		{write("notes.txt", []byte("Hello world, hello")), `not a capture file (starts with "Hello wo")`},
		{write("short", []byte("Hi")), `not a capture file (starts with "Hi")`},
		{write("empty.pcap", nil), "empty file"},
		{write("head.pcap", file()[:10]), "at byte 10: cut short inside the file header"},
		{write("notes.gz", gz([]byte("Hello world"))), `not a capture file (gzip of starts with "Hello wo")`},
		{write("bad.gz", []byte{0x1f, 0x8b, 8, 0, 1, 2, 3}), "gzip: unexpected EOF"},
		{write("empty.gz", gz(nil)), "gzip of empty file"},
		{write("version.pcap", append(binary.LittleEndian.AppendUint32(nil, magicMicro), make([]byte, 20)...)), "at byte 4: pcap version 0 is not supported"},
		{dir, "is a directory"},
		{filepath.Join(dir, "missing.pcap"), "no such file or directory"},
	}
	for _, tt := range tests {
		good := write("good.pcap", file())
		for _, inputs := range [][]Input{{{Path: tt.path}}, {{Path: good}, {Path: tt.path}}} {
			_, err := Read(t.Context(), inputs, &recorder{t: t}, Options{})
			var fe *FormatError
			if !errors.As(err, &fe) || err.Error() != tt.path+": "+tt.want {
				t.Errorf("got  %v\nwant %s: %s", err, tt.path, tt.want)
			}
		}
	}
	_, err := Read(t.Context(), []Input{{Path: filepath.Join(dir, "missing.pcap")}}, &recorder{t: t}, Options{})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%v", err)
	}
	if q, err := Read(t.Context(), []Input{{Path: write("none.pcap", file())}}, &recorder{t: t}, Options{}); err != nil || q[0].Packets != 0 || q[0].TruncatedInput {
		t.Errorf("no packets: %+v, %v", q, err)
	}
	for _, p := range []string{"", "PK", "Hello world", "SQLite format 3\x00", string(gz([]byte("Hello world")))} {
		if Sniff([]byte(p)) {
			t.Errorf("%q is taken for a capture", p)
		}
	}
}

// A packet of a pipe is told as soon as its bytes are there, and a silent pipe does not outlive its context.
func TestPipe(t *testing.T) {
	packets := newTalk().packets(call()...)
	for name, compress := range map[string]bool{"pcap": false, "gzip": true} {
		t.Run(name, func(t *testing.T) {
			pr, pw := io.Pipe()
			var w io.Writer = pw
			flush := func() {}
			if compress {
				g := gzip.NewWriter(pw)
				w, flush = g, func() { g.Flush() }
			}
			ctx, cancel := context.WithCancel(context.Background())
			heard := make(chan string)
			done := make(chan error)
			go func() {
				_, err := Read(ctx, []Input{{Path: "-", R: pr}}, &live{heard}, Options{})
				done <- err
			}()
			in := file(packets...)
			upTo := 24
			for _, p := range packets[:6] {
				upTo += 16 + len(p.data)
			}
			w.Write(in[:upTo])
			flush()
			if got := <-heard; got != "22" {
				t.Errorf("heard %s", got)
			}
			if got := <-heard; got != "19" { // the last packet written: nothing waits for the next
				t.Errorf("heard %s", got)
			}
			cancel()
			if got := <-heard; got != "close" {
				t.Errorf("heard %s", got)
			}
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
			pr.Close()
		})
	}
}

type live struct{ heard chan string }

func (l *live) Connection(*capture.Conn) capture.Duplex              { return l }
func (l *live) ConnectFailure(capture.ConnectFailure)                {}
func (l *live) Secrets([]byte)                                       {}
func (l *live) Data(_ capture.Side, p []byte, _ capture.Stamp)       { l.heard <- fmt.Sprint(len(p)) }
func (l *live) Missing(capture.Side, int64, capture.Stamp)           {}
func (l *live) Ack(_ capture.Side, _ int64, _ bool, _ capture.Stamp) {}
func (l *live) End(capture.Side, capture.How, capture.Stamp)         {}
func (l *live) Close(capture.Stamp)                                  { l.heard <- "close" }

func TestProgress(t *testing.T) {
	k := newTalk()
	ps := hello()
	for i := range 3000 {
		ps = append(ps, pkt{ms: 10 + float64(i), side: 'c', flags: "A", seq: 1 + int64(i)*1400, ack: 1, data: text(1400, int64(i))})
	}
	in := file(k.packets(ps...)...)
	path := filepath.Join(t.TempDir(), "x.pcap")
	if err := os.WriteFile(path, in, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, input := range []Input{{Path: path}, {R: bytes.NewReader(in), Size: int64(len(in))}, {R: bytes.NewReader(in)}} {
		calls, last := 0, int64(0)
		read(t, Options{Progress: func(n, total int64) {
			if n <= last || (total != int64(len(in))) != (input.R != nil && input.Size == 0) {
				t.Errorf("progress %d of %d", n, total)
			}
			calls, last = calls+1, n
		}}, input)
		if calls != 4 {
			t.Errorf("%d calls for %d bytes", calls, len(in))
		}
	}
}
