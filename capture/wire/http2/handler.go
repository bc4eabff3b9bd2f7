package http2

import "fmt"

// Preface is what a client sends before its first frame (RFC 9113 section 3.4).
const Preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

// Field is one line of a header block, pseudo-header fields such as ":status" among them.
type Field struct {
	Name, Value string
}

// Handler is told what a Reader finds, in the order of the direction. A frame occupies [start, end) of the direction;
// where only end is given it is the end of the frame that completed the matter. Slices of bytes are lent for the call,
// slices of fields are given away.
type Handler interface {
	// Headers is a whole header block: a request, a response, an interim response or trailers. From start to end it
	// covers its CONTINUATION frames. With complete false it lacks fields whose name or value could not be decoded
	// (the HPACK state is not known), that lay in a hole, or that a limit cut off.
	Headers(stream uint32, fields []Field, endStream bool, start, end int64, complete bool)
	// PushPromise announces a request that the server makes in the client's name (RFC 9113 section 6.6).
	PushPromise(stream, promised uint32, fields []Field, end int64)
	// Data is a piece of a DATA frame, without padding, as soon as it is there: p stands at [off, off+len(p)).
	Data(stream uint32, p []byte, start, end int64, off int64)
	// LostData tells of n bytes of DATA payload at off that were not seen, or that cannot be told from padding because
	// its length was not. The pieces of a frame told to Data and to LostData make up its payload without a break.
	LostData(stream uint32, n int64, off int64)
	// DataEnd follows the last piece of a DATA frame, lost or not, and its padding.
	DataEnd(stream uint32, endStream bool, end int64)
	// Reset is a RST_STREAM frame; CodeName names the code.
	Reset(stream uint32, code uint32, end int64)
	// GoAway is a GOAWAY frame: streams above last that the peer opened were not and will not be worked on.
	GoAway(last uint32, code uint32, end int64)
	// Settings is a SETTINGS frame, or the acknowledgement of one.
	Settings(end int64, ack bool)
	// Ping is a PING frame, or the answer to one.
	Ping(ack bool, end int64)
	// Lost tells of bytes that belong to no known frame, being missing or senseless, and of missing bytes that took a
	// RST_STREAM or GOAWAY frame with them: any stream may have lost frames there. Holes within DATA are LostData's;
	// holes within a header block show in its complete; other frames say nothing of a stream.
	Lost(start, end int64)
}

// codeNames lists the error codes of RFC 9113 section 7.
var codeNames = [...]string{
	0x0: "NO_ERROR",
	0x1: "PROTOCOL_ERROR",
	0x2: "INTERNAL_ERROR",
	0x3: "FLOW_CONTROL_ERROR",
	0x4: "SETTINGS_TIMEOUT",
	0x5: "STREAM_CLOSED",
	0x6: "FRAME_SIZE_ERROR",
	0x7: "REFUSED_STREAM",
	0x8: "CANCEL",
	0x9: "COMPRESSION_ERROR",
	0xa: "CONNECT_ERROR",
	0xb: "ENHANCE_YOUR_CALM",
	0xc: "INADEQUATE_SECURITY",
	0xd: "HTTP_1_1_REQUIRED",
}

// CodeName returns the name of an error code as RFC 9113 section 7 has it, such as "CANCEL" or "REFUSED_STREAM", and
// its number in hexadecimal, such as "0x1f", for a code that is not there.
func CodeName(code uint32) string {
	if code < uint32(len(codeNames)) {
		return codeNames[code]
	}
	return fmt.Sprintf("%#x", code)
}
