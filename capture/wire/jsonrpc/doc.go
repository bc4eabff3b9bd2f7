// Package jsonrpc reads the envelope of JSON-RPC 2.0 messages without decoding what stands in it.
//
// Its words: a message is one JSON object; a request has a method and an id, a notification a method
// only; a response has a result or an error and no method; raw means JSON text as on the wire.
//
// Offsets are bytes from the beginning of the text given. Raw values are sub-slices of it, without
// surrounding white space. Where an object repeats a key, the last one counts.
//
// The package accepts exactly the texts that encoding/json does, up to [MaxDepth]; like it, it lets
// invalid UTF-8 pass and decodes it as U+FFFD. It does not pair responses with requests, know methods
// or check params and results.
//
// Source: JSON-RPC 2.0 specification sections 4 to 6; RFC 8259; RFC 8785 for canonical form.
package jsonrpc
