// Package feed carries what many connections tell to the one goroutine that records it.
//
// Words it owns: a feed is the bounded queue; a tap is one connection's end of it, through which the goroutines that
// forward its bytes say what they did; a buffer is memory that they share with the recorder, so that large reads need no
// copy; lost are the bytes, connections and failures that did not fit.
//
// A tap never waits: what the recorder cannot follow is left out, counted, and told to the recorder as missing, at the
// place where it is missing. Moments are the taps'; offsets count the bytes of one direction from 0, lost ones included.
//
// It deliberately has no opinion on what the bytes mean and does not keep anything once it is handed on.
package feed
