// Package coding undoes content codings, as far as the bytes go.
//
// Its words: a coding is what Content-Encoding names; a layer is one of several codings applied one
// upon the other; a flush is a point at which an encoder has made all it was given decodable.
//
// Input and output are counted in bytes. A [Decoder] asks for no input beyond what it needs: what comes
// out during a Write could not have come out during the one before, but that bytes between two flushes
// may be held until the coding's next block boundary or flush.
//
// It does not check whether a stream is complete, apart from checksums it meets, and does not know
// dictionaries (dcb, dcz), compress, exi or pack200.
//
// Source: RFC 9110 section 8.4; RFC 1950 to 1952, RFC 7932, RFC 8878, RFC 9659.
package coding
