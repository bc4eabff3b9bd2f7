// Package store keeps exchanges in one SQLite file, a recording, and gives them back as they were.
//
// Words it owns: a recording is the file; it is running until [Writer.Finish] and done from then on; a block is 64 KiB of
// a message's bytes; an index (of chunks, spans, acknowledgements) is packed into varints; a placeholder stands for a
// secret, in the same place and of the same length.
//
// Zero points and units: moments are nanoseconds since the Unix epoch, times within an exchange count from its start,
// offsets are bytes of a message as it stood on the wire. Exchanges are in order of [capture.Exchange.Seq]; numbers of
// exchanges count from 1 in that order.
//
// A recording holds observations only: what they mean is worked out by its reader, so that a better rule judges old
// recordings anew. The format is described in docs/format.md; the package is the one door to SQLite.
//
// It deliberately does not compress, does not record what is not handed to it, and does not find secrets that are known
// only from bodies.
package store
