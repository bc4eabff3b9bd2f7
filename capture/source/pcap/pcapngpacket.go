package pcap

import (
	"math"
)

// Option codes.
const (
	optionEnd        = 0
	ifTSResol        = 9
	ifTSOffset       = 14
	isbIfDrop        = 5
	isbOSDrop        = 7
	packetDropCount  = 4
	oldPacketUnknown = 0xffff // a drop count that is not known
)

// options calls f with every whole option of b.
func (n *pcapng) options(b []byte, f func(code uint16, value []byte)) {
	for len(b) >= 4 {
		code, size := n.order.u16(b), int(n.order.u16(b[2:]))
		b = b[4:]
		if code == optionEnd || size > len(b) {
			return
		}
		f(code, b[:size])
		b = b[min((size+3)&^3, len(b)):]
	}
}

// addInterface takes the body of an interface description block.
func (n *pcapng) addInterface(at int64, b []byte) error {
	if len(n.ifs) >= maxInterfaces {
		return damaged(at, "more than %d interfaces", maxInterfaces)
	}
	i := iface{link: n.order.u16(b), snap: n.order.u32(b[4:]), time: microseconds}
	var offset int64
	n.options(b[8:], func(code uint16, value []byte) {
		switch {
		case code == ifTSResol && len(value) >= 1:
			i.time = parseResolution(value[0])
		case code == ifTSOffset && len(value) >= 8:
			offset = int64(n.order.u64(value))
		}
	})
	i.time.offset = offset
	n.ifs = append(n.ifs, i)
	return nil
}

// statistics takes the body of an interface statistics block.
func (n *pcapng) statistics(b []byte) {
	id := n.order.u32(b)
	if int64(id) >= int64(len(n.ifs)) {
		return
	}
	var dropped uint64
	n.options(b[12:], func(code uint16, value []byte) {
		if (code == isbIfDrop || code == isbOSDrop) && len(value) >= 8 {
			dropped += min(n.order.u64(value), math.MaxInt32)
		}
	})
	n.ifs[id].dropped = max(n.ifs[id].dropped, dropped)
}

// packet reads a packet block of any of the three kinds. It is false where the block held none.
func (n *pcapng) packet(kind uint32, at int64, size uint32, r *record) (bool, error) {
	head := 20
	if kind == blockSimple {
		head = 4
	}
	b, err := n.block(at, size, uint32(head)+12)
	if err != nil {
		return false, err
	}
	var id, captured, length uint32
	switch kind {
	case blockPacket:
		id, captured, length = n.order.u32(b), n.order.u32(b[12:]), n.order.u32(b[16:])
	case blockOldPacket:
		id, captured, length = uint32(n.order.u16(b)), n.order.u32(b[12:]), n.order.u32(b[16:])
	case blockSimple:
		captured, length = n.order.u32(b), n.order.u32(b)
	}
	if int64(id) >= int64(len(n.ifs)) {
		return false, damaged(at, "packet %d of an interface that is not described (%d)", n.count+1, id)
	}
	i := &n.ifs[id]
	body := b[head:]
	if kind == blockSimple {
		captured = simpleLength(captured, i.snap, len(body))
	}
	if int64(captured) > int64(len(body)) {
		return false, damaged(at, "packet %d claims %d captured bytes in a block of %d", n.count+1, captured, size)
	}
	n.count++
	r.number, r.link, r.data = n.count, i.link, body[:captured:captured]
	r.length = max(int(min(length, math.MaxInt32)), len(r.data))
	if kind == blockSimple {
		r.at = n.last // it has no time of its own
		n.untimed++
		return true, nil
	}
	r.at = i.time.instant(uint64(n.order.u32(b[4:]))<<32 | uint64(n.order.u32(b[8:])))
	n.last = r.at
	n.countDrops(kind, i, b, body[min((int(captured)+3)&^3, len(body)):])
	return true, nil
}

// simpleLength returns how much of a packet a simple packet block holds: it does not say so itself.
func simpleLength(length, snap uint32, room int) uint32 {
	if snap > 0 {
		length = min(length, snap)
	}
	return uint32(min(int64(length), int64(room)))
}

// countDrops adds what a packet block says was lost just before it.
func (n *pcapng) countDrops(kind uint32, i *iface, b, opts []byte) {
	if kind == blockOldPacket {
		if lost := n.order.u16(b[2:]); lost != oldPacketUnknown {
			i.reported += uint64(lost)
		}
		return
	}
	if len(opts) == 0 {
		return
	}
	n.options(opts, func(code uint16, value []byte) {
		if code == packetDropCount && len(value) >= 8 {
			i.reported += min(n.order.u64(value), math.MaxInt32)
		}
	})
}
