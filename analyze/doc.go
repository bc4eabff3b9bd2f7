// Package analyze says what in a recording deserves a person's attention: which calls ran twice, which were lost, who
// broke the streams and what the ones held open cost.
//
// The words it owns: a [Case] is one exchange under analysis; a [Rule] looks at cases and makes a [Finding] of what it
// sees; [Totals] count each call once, on its first hop.
//
// An [Analyzer] is fed exchange by exchange, in any order, keeps of each only what later ones may refer to, and draws
// its conclusions in Report, when all have been seen: an answer may come on a stream that stays open for hours.
//
// Durations count from the exchange's first request byte, offsets from the first byte of the decoded body.
//
// It does not look at bytes: what the bytes mean is capture's to say, what a client makes of them is replay's.
package analyze
