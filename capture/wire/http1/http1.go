package http1

import "strings"

// Limits of what a Parser keeps. What exceeds one is reported by Handler.Broken.
const (
	MaxMethod    = 63        // bytes of a method; every registered one is far shorter
	MaxHead      = 256 << 10 // bytes of a head, and of a trailer section
	MaxFields    = 2000      // field lines of a head, and of a trailer section
	MaxChunkLine = 4 << 10   // bytes of a chunk-size line with its extensions
)

// Handler receives what a Parser finds, in stream order. It must not call the Parser back.
//
// A message is Start, Head, any number of Body and Lost, End; 1xx responses are messages of their own.
// A message that stays unfinished has no End.
type Handler interface {
	// Start reports the first byte of a message. It is called as soon as that byte may begin a start
	// line; Broken follows if it turns out not to. After Resync or Broken it is called only together
	// with Head, when the whole head has proved to be one.
	Start(off int64)

	// Head reports a complete head; end is the offset just past the empty line that ends it. h is the
	// callee's to keep; the Parser fills in h.Trailers before End and touches nothing else.
	Head(h *Head, end int64)

	// Body reports body bytes [start,end) with transfer coding taken off. Spans ascend and are never empty.
	Body(start, end int64)

	// Lost reports body bytes [start,end) that the capture missed but whose framing is known.
	Lost(start, end int64)

	// End reports that the message is complete; off is just past its last framing byte, the end of
	// the trailer section included.
	End(off int64)

	// Broken reports that the bytes from off on cannot be framed; the current message stays
	// unfinished. The Parser then looks for a start line, in silence, as after Resync.
	Broken(off int64, why string)
}

// Framing says how the end of a body is known. Source: RFC 9112 section 6.3.
type Framing uint8

const (
	None    Framing = iota // no body
	Length                 // Content-Length
	Chunked                // chunked transfer coding
	Close                  // until the connection closes
	Faulty                 // fields contradict each other; Broken follows the head
)

var framings = [...]string{"none", "length", "chunked", "close", "faulty"}

// String returns the framing's name in lower case.
func (f Framing) String() string {
	if int(f) < len(framings) {
		return framings[f]
	}
	return "unknown"
}

// Field is a field line, the name as on the wire, the value without surrounding white space and with
// folded lines joined by one space.
type Field struct{ Name, Value string }

// Head is the head of a request or a response.
type Head struct {
	Method, Target string // of a request

	Status int    // of a response
	Reason string // of a response, may be empty

	Proto  string  // "HTTP/1.1", "HTTP/1.0"
	Fields []Field // in wire order

	Framing  Framing
	Length   int64   // body bytes, for framing Length
	Conflict bool    // Transfer-Encoding beside Content-Length, or Content-Lengths that differ
	Dropped  int     // field lines without a name or a colon, left out of Fields
	Trailers []Field // complete when the message ends
}

// Get returns the value of the first field called name, in any case, or "".
func (h *Head) Get(name string) string {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Values returns the values of all fields called name, in any case, in wire order.
func (h *Head) Values(name string) []string {
	var vs []string
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			vs = append(vs, f.Value)
		}
	}
	return vs
}

// Has reports whether there is a field called name, in any case.
func (h *Head) Has(name string) bool {
	for _, f := range h.Fields {
		if strings.EqualFold(f.Name, name) {
			return true
		}
	}
	return false
}
