// Package capturetest writes exchanges and capture files in a few lines, for tests.
//
// The words it owns: a [Talk] is what passes on one TCP connection, step by step; a [Segment] is one packet of it.
//
// A Talk starts at [Epoch] unless told otherwise, and each step happens at the time the steps before it have reached.
// One Talk can be had in two ways that agree to the byte and the nanosecond: as a pcap file for a source to read, and as
// the exchanges an ideal source would make of that file.
//
// Not for it: packets in disorder or lost ones (package bigpcap makes those), IPv6, TLS, HTTP/2.
package capturetest
