package http2

import "encoding/binary"

// headLen is the length of a frame header (RFC 9113 section 4.1).
const headLen = 9

// The frame types of RFC 9113 section 6 and RFC 9218 section 7.1.
const (
	frameData           = 0x0
	frameHeaders        = 0x1
	framePriority       = 0x2
	frameRSTStream      = 0x3
	frameSettings       = 0x4
	framePushPromise    = 0x5
	framePing           = 0x6
	frameGoAway         = 0x7
	frameWindowUpdate   = 0x8
	frameContinuation   = 0x9
	framePriorityUpdate = 0x10
)

// Flags mean the same in every frame type that has them.
const (
	flagEndStream  = 0x1
	flagAck        = 0x1
	flagEndHeaders = 0x4
	flagPadded     = 0x8
	flagPriority   = 0x20
)

// Bounds on what passes for a frame header where it is not known to be one.
const (
	// maxOther is the most a frame other than DATA and HEADERS may hold. Text, read as a length, is more: its first
	// byte counts 65,536s.
	maxOther = 1 << 20
	// maxScanLength is the most a frame that a scan finds may hold. More is seldom allowed (SETTINGS_MAX_FRAME_SIZE is
	// 16,384 by default), and its first byte, a zero, is quickly looked for.
	maxScanLength = 1<<16 - 1
	// maxScanStream bounds the stream identifiers a scan believes in. Connections end long before.
	maxScanStream = 1 << 24
)

// frame is a frame header and its place.
type frame struct {
	start  int64 // offset of its first byte
	length int   // of the payload, in bytes
	kind   byte
	flags  byte
	stream uint32 // with the reserved bit
}

// parseFrame reads the frame header at the beginning of p, which holds at least headLen bytes.
func parseFrame(p []byte, start int64) frame {
	return frame{
		start:  start,
		length: int(p[0])<<16 | int(p[1])<<8 | int(p[2]),
		kind:   p[3],
		flags:  p[4],
		stream: binary.BigEndian.Uint32(p[5:]),
	}
}

// id is the stream identifier. The reserved bit must be ignored (RFC 9113 section 4.1).
func (f frame) id() uint32 { return f.stream &^ (1 << 31) }

func (f frame) end() int64 { return f.start + headLen + int64(f.length) }

func (f frame) has(flag byte) bool { return f.flags&flag != 0 }

// legal reports whether a peer could take f for a frame: that its length and stream are allowed for its type (RFC 9113
// section 6). A Reader in step that meets another has lost its step, or reads something else than HTTP/2.
func (f frame) legal() bool {
	switch f.kind {
	case frameData, frameHeaders:
		return f.id() != 0
	case framePushPromise, frameContinuation:
		return f.id() != 0 && f.length <= maxOther
	case framePriority:
		return f.id() != 0 && f.length == 5
	case frameRSTStream:
		return f.id() != 0 && f.length == 4
	case frameSettings:
		return f.id() == 0 && f.length%6 == 0 && f.length <= maxOther && (!f.has(flagAck) || f.length == 0)
	case framePing:
		return f.id() == 0 && f.length == 8
	case frameGoAway:
		return f.id() == 0 && f.length >= 8 && f.length <= maxOther
	case frameWindowUpdate:
		return f.length == 4
	}
	return f.length <= maxOther
}

// knownFlags lists the frame types a scan believes in and the flags defined for them.
var knownFlags = map[byte]byte{
	frameData:           flagEndStream | flagPadded,
	frameHeaders:        flagEndStream | flagEndHeaders | flagPadded | flagPriority,
	framePriority:       0,
	frameRSTStream:      0,
	frameSettings:       flagAck,
	framePushPromise:    flagEndHeaders | flagPadded,
	framePing:           flagAck,
	frameGoAway:         0,
	frameWindowUpdate:   0,
	frameContinuation:   flagEndHeaders,
	framePriorityUpdate: 0,
}

// plausible reports whether f looks like a frame header to someone who does not know that one is there: legal, nothing
// undefined, a stream that a client opened, and not empty without a reason (a run of zeros makes many empty frames).
func (f frame) plausible() bool {
	flags, known := knownFlags[f.kind]
	return known && f.flags&^flags == 0 && f.legal() && f.length <= maxScanLength &&
		(f.stream == 0 || f.stream%2 == 1 && f.stream < maxScanStream) &&
		(f.length > 0 || f.kind == frameSettings || f.kind == frameContinuation || f.kind == frameData && f.has(flagEndStream))
}
