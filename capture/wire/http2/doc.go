// Package http2 reads one direction of an HTTP/2 connection (RFC 9113) from outside, as the bytes come.
//
// Words: a frame is a 9-byte frame header and its payload; a header block is the HPACK-coded field list that a HEADERS or
// PUSH_PROMISE frame and its CONTINUATION frames carry together; a frame border is where one frame ends and the next
// begins; a Reader is in step while it knows the next frame border, and scans for one when it does not.
//
// Offsets count bytes of the direction from 0, the first byte given to the Reader; bytes told of by Missing count too.
//
// A Reader takes no part in the connection, so what would end it between two peers does not end the reading: after a
// hole, a broken header block or plain garbage it goes on with what can still be told. It does not know requests from
// responses or trailers, keeps no state of streams, checks no flow control, and does not hold the peers to the protocol.
package http2
