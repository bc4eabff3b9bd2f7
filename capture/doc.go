// Package capture holds what was seen: exchanges, as bytes with their times.
//
// The words it owns: a [Conn] is one TCP connection (or one run of a stdio server); a [Duplex] takes what is learnt of it,
// in the order in which it was learnt; an [Exchange] is one HTTP request and the response to it; a [Chunk] is a run of
// bytes that became readable at one moment; an [Ending] is how a response ended; a [Reading] is what the rules of HTTP,
// HTML and JSON-RPC make of an exchange's bytes.
//
// Two times belong to each byte. It was seen when its packet passed, and it was readable when every byte before it had
// been seen too. Durations count from an exchange's first request byte, offsets from the first byte of the message or,
// where it says "decoded", of the body with its content coding undone.
//
// A source (see capture/source) tells a [Recorder]; an [Assembly] is one: it takes off TLS, follows HTTP/1 and HTTP/2 and
// hands on exchanges; a [Recognizer] lets those of MCP endpoints pass.
//
// It states observations only. What one client would have made of them is for package replay to say, what deserves a
// person's attention for package analyze.
package capture
