package sse

// Limits of what a Scanner keeps of one block. What exceeds one is dropped and the event is Truncated.
const (
	MaxEvent = 64 << 20 // bytes of data, unless SetMaxEvent says otherwise
	MaxField = 64 << 10 // bytes of any other line
)

// Event is a block that a blank line has ended. A block without data dispatches nothing to a client
// but counts for its id and retry.
type Event struct {
	// Start and End delimit the block, comments in it and its blank line included. The byte at End-1,
	// the LF or CR of the blank line, dispatched it; an LF after that CR is reported by Handler.CRLF.
	Start, End int64

	Type    string // value of the last event field, "" if none
	ID      string // value of the last id field without NUL
	HasID   bool
	HasData bool

	Data      []byte // values of the data fields joined with LF, as on the wire; lent for the call
	DataLines int    // number of data fields

	JSONOffset int64 // offset of the first byte of data, -1 if there is none
	DataEnd    int64 // offset just past the last byte of data, -1 if there is none

	Retry int64 // milliseconds, capped at the int64 range; -1 if there is no valid retry field

	EndedByCR bool // the blank line's end is a CR; whether an LF follows is not known yet
	BareCR    bool // a line before the blank line was ended by a CR alone
	MixedEOL  bool // the lines, the blank line included, do not all end alike
	BadUTF8   bool // a line holds invalid UTF-8
	NulID     bool // an id field was ignored for the NUL in it
	NoColon   bool // a line has no colon
	Truncated bool // a limit cut off data or another field
}

// Handler receives what a Scanner finds, in stream order. It must not call the Scanner back.
type Handler interface {
	// Event reports a block at the byte that ends it. e and its Data are lent for the call.
	Event(e *Event)

	// Comment reports a comment line [start,end), its line end (the CR of a CR LF) included.
	Comment(start, end int64)

	// CRLF reports the LF, at offset end, that completes the CR which dispatched the event ending at end.
	CRLF(end int64)
}

// Tail is what stands after the last blank line.
type Tail struct {
	Start int64 // offset of its first byte
	Len   int64 // bytes that would be discarded if the stream ended here, 0 if none

	Data        []byte // data so far, the unfinished line's included; lent until the next Write
	HasData     bool   // a data field has begun: its colon or its line end is there
	JSONOffset  int64  // as in Event
	DataEnd     int64  // as in Event
	ID          string // value of the last finished id field
	HasID       bool
	CommentOnly bool // it has bytes, and all lines are comments, the unfinished one included
	Truncated   bool // as in Event
}
