// Package stdio makes exchanges of the lines that an MCP client and a server it runs exchange over the server's standard
// input and output, either as they pass or from a log of them.
//
// Words it owns: a line is what a newline ends, the newline included; a conversation is one run of a server. An exchange
// is a client's line and the server's lines that belong to it: its answer, and the progress it asked to be told of. What
// belongs to no call (notifications, requests of the server and the answers to them) is an exchange of its own.
//
// Moments are those at which bytes were read; a message is acknowledged when it was written to the other side. Offsets
// count the bytes of one direction from 0.
//
// The framing is that of the specification's stdio transport: one JSON-RPC message a line. It deliberately does not record
// standard error, which is the server's own, and does not judge what is no JSON.
package stdio
