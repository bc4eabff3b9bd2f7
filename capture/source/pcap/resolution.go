package pcap

import (
	"math"
	"math/bits"

	"mcptrace/capture"
)

// resolution turns the time stamps of a pcapng interface into nanoseconds, exactly where nanoseconds can hold them.
//
// Source: draft-ietf-opsawg-pcapng, if_tsresol and if_tsoffset.
type resolution struct {
	binary bool  // units are powers of 2, not of 10
	digits uint8 // negative exponent of the unit in seconds
	offset int64 // seconds to add
}

var microseconds = resolution{digits: 6}

func parseResolution(b byte) resolution {
	return resolution{binary: b&0x80 != 0, digits: b & 0x7f}
}

// instant returns the moment of ticks, rounded down; what an Instant cannot hold becomes the nearest one it can.
func (r resolution) instant(ticks uint64) capture.Instant {
	var ns uint64
	switch {
	case r.binary:
		ns = r.scaleBinary(ticks)
	case r.digits <= 9:
		ns = saturatingMul(ticks, powerOf10(9-r.digits))
	case r.digits-9 < 20:
		ns = ticks / powerOf10(r.digits-9)
	}
	return saturatingAdd(ns, r.offset)
}

// scaleBinary returns ticks * 10^9 / 2^digits.
func (r resolution) scaleBinary(ticks uint64) uint64 {
	hi, lo := bits.Mul64(ticks, 1e9)
	switch n := uint(r.digits); {
	case n == 0 && hi > 0, n < 64 && hi>>n > 0:
		return math.MaxUint64
	case n == 0:
		return lo
	case n < 64:
		return hi<<(64-n) | lo>>n
	default:
		return hi >> (n - 64)
	}
}

func powerOf10(n uint8) uint64 {
	p := uint64(1)
	for range n {
		p *= 10
	}
	return p
}

func saturatingMul(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	if hi > 0 {
		return math.MaxUint64
	}
	return lo
}

// saturatingAdd adds seconds to ns.
func saturatingAdd(ns uint64, seconds int64) capture.Instant {
	const most = math.MaxInt64 / int64(1e9)
	base := int64(min(ns, math.MaxInt64))
	seconds = max(-most, min(seconds, most))
	sum := base + seconds*1e9
	if seconds > 0 && sum < base {
		sum = math.MaxInt64
	}
	return capture.Instant(sum)
}
