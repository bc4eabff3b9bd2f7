package pcap

import (
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/google/gopacket"
	"github.com/google/gopacket/layers"
	"github.com/google/gopacket/pcapgo"

	"mcptrace/capture"
)

// ng writes pcapng blocks.
type ng struct {
	bytes.Buffer
	order binary.AppendByteOrder
}

func (n *ng) u32(vs ...uint32) []byte {
	var b []byte
	for _, v := range vs {
		b = n.order.AppendUint32(b, v)
	}
	return b
}

func (n *ng) u16(vs ...uint16) []byte {
	var b []byte
	for _, v := range vs {
		b = n.order.AppendUint16(b, v)
	}
	return b
}

func (n *ng) block(kind uint32, parts ...[]byte) {
	body := bytes.Join(parts, nil)
	for len(body)%4 != 0 {
		body = append(body, 0)
	}
	size := uint32(len(body) + 12)
	n.Write(n.u32(kind, size))
	n.Write(body)
	n.Write(n.u32(size))
}

func (n *ng) option(code uint16, value []byte) []byte {
	b := append(n.u16(code, uint16(len(value))), value...)
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

func (n *ng) section() {
	n.block(blockSection, n.u32(byteOrderMagic), n.u16(1, 0), n.u32(math.MaxUint32, math.MaxUint32))
}

func (n *ng) iface(link uint16, snap uint32, options ...[]byte) {
	n.block(blockInterface, n.u16(link, 0), n.u32(snap), bytes.Join(options, nil))
}

func (n *ng) packet(iface uint32, ticks uint64, data []byte, options ...[]byte) {
	padded := append(bytes.Clone(data), make([]byte, -len(data)&3)...)
	n.block(blockPacket, n.u32(iface, uint32(ticks>>32), uint32(ticks), uint32(len(data)), uint32(len(data))), padded, bytes.Join(options, nil))
}

func (n *ng) u64(v uint64) []byte { return n.order.AppendUint64(nil, v) }

// everyBlock is a file with all kinds of blocks, in two sections of different order.
func everyBlock(orders ...binary.AppendByteOrder) []byte {
	ps := newTalk().packets(call()...)
	var out bytes.Buffer
	for i, order := range orders {
		n := &ng{order: order}
		n.section()
		n.block(blockSecrets, n.u32(secretsTLSKeys, 10), []byte("CLIENT_X 1"))
		n.block(blockSecrets, n.u32(0x57474b4c, 4), []byte("WG__"))
		n.iface(linkEthernet, 0, n.option(ifTSResol, []byte{9}), n.option(optionEnd, nil))
		n.iface(linkRaw, 0, n.option(ifTSOffset, n.u64(uint64(epoch.Unix()))))
		n.block(0x40000bad, []byte("unknown"))
		for j, p := range ps {
			if i == 0 != (j < len(ps)/2) && len(orders) > 1 {
				continue
			}
			if j%2 == 0 {
				n.packet(0, uint64(p.at.UnixNano()), p.data, n.option(packetDropCount, n.u64(2)))
			} else {
				n.packet(1, uint64(p.at.Sub(epoch).Microseconds()), p.data[14:])
			}
		}
		n.block(blockStatistics, n.u32(0, 0, 0), n.option(isbIfDrop, n.u64(100)), n.option(isbOSDrop, n.u64(11)), n.option(optionEnd, nil))
		out.Write(n.Bytes())
	}
	return out.Bytes()
}

func TestPcapng(t *testing.T) {
	le, be := binary.LittleEndian, binary.BigEndian
	for _, orders := range [][]binary.AppendByteOrder{{le}, {be}, {le, be}, {be, le}} {
		r, q := readBytes(t, everyBlock(orders...))
		if len(r.conns) != 1 || logWithoutPackets(r.conns[0]) != callLog {
			t.Fatalf("%v: %d connections", orders, len(r.conns))
		}
		if string(r.secrets) != strings.Repeat("CLIENT_X 1", len(orders)) {
			t.Errorf("secrets %q", r.secrets)
		}
		if q[0].DroppedByCapture != 111*int64(len(orders)) || q[0].TruncatedInput || q[0].First != capture.Instant(epoch.UnixNano()) {
			t.Errorf("%+v", q[0])
		}
	}
}

// The rarer packet blocks: without a time, and obsolete.
func TestOldPacketBlocks(t *testing.T) {
	ps := newTalk().packets(call()...)
	n := &ng{order: binary.LittleEndian}
	n.section()
	n.iface(linkEthernet, 60)
	for i, p := range ps {
		if i%2 == 0 {
			ticks := uint64(p.at.UnixMicro())
			n.block(blockOldPacket, n.u16(0, 3), n.u32(uint32(ticks>>32), uint32(ticks), uint32(len(p.data)), uint32(len(p.data))), p.data)
		} else {
			n.block(blockSimple, n.u32(uint32(len(p.data))), p.data[:min(60, len(p.data))])
		}
	}
	r, q := readBytes(t, n.Bytes())
	d := r.conns[0]
	if len(r.conns) != 1 || q[0].Packets != int64(len(ps)) || q[0].DroppedByCapture != 15 || len(q[0].Notes) != 1 {
		t.Fatalf("%+v", q[0])
	}
	if d.conn.SnaplenCut != 2 || string(d.dir[0].data[:6]) != "POST /" || d.dir[0].missing != 22-6 || d.dir[1].missing != 19-6 {
		t.Errorf("%+v: %v", d.conn, d.log)
	}
}

// Ticks become nanoseconds exactly; big.Int is the judge.
func TestResolution(t *testing.T) {
	ticks := []uint64{0, 1, 499_999, 1 << 20, 1<<20 + 1<<19, 1_770_000_000_123_456, 1 << 62, math.MaxUint64}
	for _, b := range []byte{0, 3, 6, 7, 9, 10, 12, 18, 28, 29, 127, 0x80, 0x81, 0x80 + 20, 0x80 + 30, 0x80 + 63, 0x80 + 64, 0x80 + 127} {
		for _, n := range ticks {
			want := new(big.Int).Mul(new(big.Int).SetUint64(n), big.NewInt(1e9))
			if b&0x80 != 0 {
				want.Rsh(want, uint(b&0x7f))
			} else {
				want.Div(want, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(b)), nil))
			}
			if !want.IsInt64() {
				want.SetInt64(math.MaxInt64)
			}
			if got := parseResolution(b).instant(n); int64(got) != want.Int64() {
				t.Errorf("resolution %#x, %d ticks: %d, want %v", b, n, got, want)
			}
		}
	}
	for _, tt := range []struct {
		offset int64
		want   capture.Instant
	}{{1, 1_000_001_000}, {-1, -999_999_000}, {math.MaxInt64, 9223372036_000_001_000}, {math.MinInt64, -9223372036_000_000_000 + 1000}} {
		r := microseconds
		r.offset = tt.offset
		if got := r.instant(1); got != tt.want {
			t.Errorf("offset %d: %d, want %d", tt.offset, got, tt.want)
		}
	}
	if got := (resolution{digits: 0, offset: 1}).instant(math.MaxUint64); got != math.MaxInt64 {
		t.Errorf("overflow: %d", got)
	}
}

// gopacket's own readers, where they work, find the same packets.
func TestAgreesWithPcapgo(t *testing.T) {
	packets := newTalk().packets(call()...)
	var ngFile bytes.Buffer
	w, err := pcapgo.NewNgWriter(&ngFile, layers.LinkTypeEthernet)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packets {
		ci := gopacket.CaptureInfo{Timestamp: p.at, CaptureLength: len(p.data), Length: p.length}
		if err := w.WritePacket(ci, p.data); err != nil {
			t.Fatal(err)
		}
	}
	w.Flush()
	classicFile := file(packets...)
	theirs, err := pcapgo.NewReader(bytes.NewReader(classicFile))
	if err != nil {
		t.Fatal(err)
	}
	theirsNg, err := pcapgo.NewNgReader(bytes.NewReader(ngFile.Bytes()), pcapgo.DefaultNgReaderOptions)
	if err != nil {
		t.Fatal(err)
	}
	comparePackets(t, classicFile, theirs)
	comparePackets(t, ngFile.Bytes(), theirsNg)
}

func comparePackets(t *testing.T, file []byte, theirs gopacket.PacketDataSource) {
	t.Helper()
	ours, err := open(t.Context(), Input{R: bytes.NewReader(file)}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := 1; ; n++ {
		data, ci, err := ours.ZeroCopyReadPacketData()
		want, wantCI, wantErr := theirs.ReadPacketData()
		if err == io.EOF && wantErr == io.EOF {
			return
		}
		if err != nil || wantErr != nil {
			t.Fatalf("packet %d: %v, pcapgo %v", n, err, wantErr)
		}
		if !bytes.Equal(data, want) || !ci.Timestamp.Equal(wantCI.Timestamp) || ci.Length != wantCI.Length {
			t.Errorf("packet %d differs: %v, pcapgo %v", n, ci, wantCI)
		}
	}
}

// A hostile length is neither believed nor allocated.
func TestAbsurdBlocks(t *testing.T) {
	tests := []struct {
		name  string
		write func(n *ng)
		note  string
	}{
		{"length not a multiple of 4", func(n *ng) { n.Write(n.u32(blockPacket, 33)) }, "block claims 33 bytes"},
		{"length too small", func(n *ng) { n.Write(n.u32(blockPacket, 8)) }, "block claims 8 bytes"},
		{"length too large", func(n *ng) { n.Write(n.u32(99, 1<<31)) }, "block claims 2147483648 bytes"},
		{"two lengths", func(n *ng) { n.Write(n.u32(99, 16, 0, 20)) }, "two lengths, 16 and 20"},
		{"captured more than the block holds", func(n *ng) { n.block(blockPacket, n.u32(0, 0, 0, 5, 5), []byte("1234")) }, "claims 5 captured bytes"},
		{"no such interface", func(n *ng) { n.packet(7, 0, []byte("1234")) }, "not described (7)"},
		{"a section without magic", func(n *ng) { n.block(blockSection, n.u32(1, 2, 3, 4)) }, "without a byte-order magic"},
		{"cut short", func(n *ng) { n.Write(n.u32(99, 400, 0)) }, "cut short inside a block"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			n := &ng{order: binary.LittleEndian}
			n.section()
			n.iface(linkEthernet, 0)
			good := newTalk().packet(call()[0])
			n.packet(0, 1, good.data)
			at := int64(n.Len())
			tt.write(n)
			_, q := readBytes(t, n.Bytes())
			if !q[0].TruncatedInput || q[0].Packets != 1 || len(q[0].Notes) != 1 || !strings.Contains(q[0].Notes[0], tt.note) {
				t.Errorf("%+v", q[0])
			}
			if q[0].TruncatedAt != at && tt.name != "cut short" {
				t.Errorf("at byte %d, want %d", q[0].TruncatedAt, at)
			}
		})
	}
}
