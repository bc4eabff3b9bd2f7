// Package redact makes exchanges fit to be shown to others: values are replaced in place by placeholders of the same
// length, so that every offset, length and time stays what it was, and with them every verdict.
//
// The word it owns: a placeholder has the shape of what it stands for (letters for letters, digits for digits, other
// characters as they were). Equal values have equal placeholders under one [Redactor], different ones different.
//
// What stays: JSON structure and member names that are identifiers, JSON-RPC ids, methods and error codes, names of
// tools and prompts, protocol versions, what client and server call themselves, true, false and null, field names of
// HTTP and the values of the harmless fields, addresses of hosts. Everything else a peer chose is replaced: arguments,
// results, error texts, query values, event ids, comments.
//
// In a compressed body nothing can be replaced in place: it is decoded and compressed anew, so that the decoded body, its
// times and every verdict stay and only the number of bytes on the wire changes; [ErrCoded] where it cannot be decoded.
//
// It deliberately leaves credentials, cookies and session ids to package secret.
package redact
