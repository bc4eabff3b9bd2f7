package analyze

import (
	"time"

	"mcptrace/capture"
)

// facts are what a Case says of its exchange without a pointer: of a large capture they stand in a mapped file, see arena.
type facts struct {
	Seq          int64
	Start        capture.Instant
	end          ending
	RequestEnd   time.Duration
	HeadAt       time.Duration // -1: no head
	LastByte     time.Duration // -1: no body byte
	First        int64         // packet
	Hold         Hold
	Stream       uint32
	beside       int32 // other calls of the session in flight when it was sent
	transport    transport
	RequestAcked bool
	HasRequest   bool
	Complete     bool // the response's framing was complete
	Modern       bool
	Started      bool // the server had sent progress or log messages for the call
	hasBody      bool // of the response

	gist
	slot int64 // where the pager put the detail
}
