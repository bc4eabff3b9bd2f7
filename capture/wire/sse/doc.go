// Package sse scans server-sent event streams by the rules of the HTML Living Standard, with the
// offset of everything it finds.
//
// Its words: a block is the lines between two blank lines; an event is a block with at least one field
// line; the blank line dispatches it; the tail is what stands after the last blank line and would be
// discarded if the stream ended there; a comment is a line that begins with a colon.
//
// Offsets are bytes, counted from the first byte written, a byte order mark included. A span
// [start,end) excludes end.
//
// The package does not decode data as UTF-8 or JSON, keep a last event id, wait before reconnecting,
// nor know what a particular client would make of a stream.
//
// Source: HTML Living Standard, sections "Parsing an event stream" and "Interpreting an event stream".
package sse
