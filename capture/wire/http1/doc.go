// Package http1 frames one direction of an HTTP/1.x connection, incrementally and by offset.
//
// Its words: a message is a head and a body; a head is a start line and field lines; framing is what
// tells where the body ends; a span is a run of body bytes once transfer coding is off; a transfer
// chunk is a chunk of the chunked coding. Other words are RFC 9112's.
//
// Offsets are bytes, counted from the first byte given to a [Parser], missing bytes included. A span
// [start,end) excludes end.
//
// The package reads what real peers send: lines ended by LF alone, empty lines before a start line,
// folded fields. It is strict about start lines only, because they are what it finds its way back by.
//
// It does not pair requests with responses, copy bodies, undo content codings, interpret fields other
// than those that frame, nor read HTTP/2; after an upgrade it stops and leaves the bytes to the caller.
package http1
