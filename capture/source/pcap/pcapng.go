package pcap

import (
	"io"
	"math"

	"mcptrace/capture"
)

// Block types.
const (
	blockSection    = 0x0a0d0d0a
	blockInterface  = 1
	blockOldPacket  = 2
	blockSimple     = 3
	blockStatistics = 5
	blockPacket     = 6
	blockSecrets    = 10
)

const (
	byteOrderMagic = uint32(0x1a2b3c4d)
	secretsTLSKeys = 0x544c534b
	maxInterfaces  = 1 << 16 // in one section
)

// iface is what an interface description says, and what its statistics counted.
type iface struct {
	link     uint16
	snap     uint32
	time     resolution
	dropped  uint64 // by its statistics block, a running total
	reported uint64 // by its packets, added up
}

// pcapng reads a pcapng file, section by section.
//
// Source: draft-ietf-opsawg-pcapng.
type pcapng struct {
	w       *window
	order   endian
	ifs     []iface
	count   int64
	last    capture.Instant
	untimed int64 // packets without a time stamp
	dropped uint64
	secrets func(keylog []byte) // nil: not wanted
}

// isPcapng tells whether p begins as a pcapng file does.
func isPcapng(p []byte) bool {
	if len(p) < 4 || littleEndian.u32(p) != blockSection {
		return false
	}
	return len(p) < 12 || littleEndian.u32(p[8:]) == byteOrderMagic || bigEndian.u32(p[8:]) == byteOrderMagic
}

// newPcapng reads the first section header behind w.
func newPcapng(w *window, secrets func([]byte)) (*pcapng, error) {
	n := &pcapng{w: w, secrets: secrets}
	if err := n.section(); err != nil {
		return nil, err
	}
	return n, nil
}

// section reads a section header block: it sets the byte order and forgets the interfaces.
func (n *pcapng) section() error {
	at := n.w.off
	h, err := n.w.peek(16)
	if err != nil {
		return n.w.cut("a section header", err)
	}
	switch byteOrderMagic {
	case littleEndian.u32(h[8:]):
		n.order = littleEndian
	case bigEndian.u32(h[8:]):
		n.order = bigEndian
	default:
		return damaged(at, "section header without a byte-order magic")
	}
	if major := n.order.u16(h[12:]); major != 1 {
		return damaged(at, "pcapng version %d is not supported", major)
	}
	n.settle()
	return n.skipBlock(at, n.order.u32(h[4:]), 28)
}

// settle adds the drop counts of the interfaces of a section that is over.
func (n *pcapng) settle() {
	for i := range n.ifs {
		n.dropped += max(n.ifs[i].dropped, n.ifs[i].reported)
	}
	n.ifs = n.ifs[:0]
}

// drops returns the packets the capturing program said it had lost.
func (n *pcapng) drops() int64 {
	n.settle()
	return int64(min(n.dropped, math.MaxInt64))
}

// next reads up to the next packet. It returns io.EOF at the end of a whole file, else *damage.
func (n *pcapng) next(r *record) error {
	for {
		at := n.w.off
		h, err := n.w.peek(8)
		if err == io.EOF {
			return err
		}
		if err != nil {
			return n.w.cut("a block header", err)
		}
		kind, size := n.order.u32(h), n.order.u32(h[4:])
		switch kind {
		case blockSection:
			err = n.section()
		case blockPacket, blockOldPacket, blockSimple:
			var ok bool
			if ok, err = n.packet(kind, at, size, r); ok {
				return nil
			}
		case blockInterface, blockStatistics, blockSecrets:
			err = n.describe(kind, at, size)
		default:
			err = n.skipBlock(at, size, 12)
		}
		if err != nil {
			return err
		}
	}
}

// checkSize tells whether a block's length can be true.
func checkSize(at int64, size uint32, least uint32) error {
	if size < least || size%4 != 0 || size > maxBlock {
		return damaged(at, "block claims %d bytes", size)
	}
	return nil
}

// skipBlock moves on behind the block at at.
func (n *pcapng) skipBlock(at int64, size uint32, least uint32) error {
	if err := checkSize(at, size, least); err != nil {
		return err
	}
	if err := n.w.skip(int64(size) - 4); err != nil {
		return n.w.cut("a block", err)
	}
	tail, err := n.w.take(4)
	if err != nil {
		return n.w.cut("a block", err)
	}
	return n.checkTail(at, size, tail)
}

// block reads the block at at whole and returns what stands between its two lengths.
func (n *pcapng) block(at int64, size uint32, least uint32) ([]byte, error) {
	if err := checkSize(at, size, least); err != nil {
		return nil, err
	}
	p, err := n.w.take(int(size))
	if err != nil {
		return nil, n.w.cut("a block", err)
	}
	return p[8 : size-4], n.checkTail(at, size, p[size-4:])
}

func (n *pcapng) checkTail(at int64, size uint32, tail []byte) error {
	if again := n.order.u32(tail); again != size {
		return damaged(at, "block has two lengths, %d and %d", size, again)
	}
	return nil
}

// describe reads a block that tells of other blocks.
func (n *pcapng) describe(kind uint32, at int64, size uint32) error {
	least := uint32(20)
	if kind == blockStatistics {
		least = 24
	}
	b, err := n.block(at, size, least)
	if err != nil {
		return err
	}
	switch kind {
	case blockInterface:
		return n.addInterface(at, b)
	case blockStatistics:
		n.statistics(b)
	case blockSecrets:
		n.handSecrets(b)
	}
	return nil
}

func (n *pcapng) handSecrets(b []byte) {
	length := n.order.u32(b[4:])
	if n.secrets != nil && n.order.u32(b) == secretsTLSKeys {
		n.secrets(b[8:][:min(int(length), len(b)-8)])
	}
}
