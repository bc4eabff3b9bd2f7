// Package export writes exchanges in the forms of other tools: tables of HTTP exchanges, HTTP archives, cut-out captures.
//
// It owns no words: it translates ours. An [Archive] is an HTTP archive (HAR 1.2) under construction, a [Table] the list
// of HTTP exchanges, MCP or not.
//
// Both are fed exchange by exchange and keep of each only what they will write. Times are those of the capture, offsets
// count in the decoded body. What a value may give away is left out or masked unless the caller asks for it.
//
// It deliberately judges nothing: verdicts are handed in.
package export
