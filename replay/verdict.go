package replay

import "time"

// Verdict says in one word how an exchange ended for a client.
type Verdict string

// The verdicts. The first four presuppose that the answer had been delivered.
const (
	Settled    Verdict = "settled"    // returned the answer; no break mattered
	Salvaged   Verdict = "salvaged"   // returned it although the stream broke
	Duplicated Verdict = "duplicated" // would re-issue: a finished call runs twice
	Dropped    Verdict = "dropped"    // reported an error: the answer is lost to the caller
	Reissued   Verdict = "reissued"   // not delivered: issues the call again
	Failed     Verdict = "failed"     // not delivered: an error at once
	Hung       Verdict = "hung"       // not delivered: waited for its own timeout, then failed
	Resumed    Verdict = "resumed"    // not delivered: GET with Last-Event-ID
	Guessed    Verdict = "guessed"    // returned bytes that nothing had dispatched
	Unknown    Verdict = "unknown"    // the capture ended first, or has a gap there
)

// Next is what a client does after an exchange.
type Next string

// What a client may do next.
const (
	NextNone    Next = "none"
	NextReissue Next = "reissue"
	NextResume  Next = "resume"
	NextCancel  Next = "cancel"
	NextError   Next = "error"
)

// Outcome is what came of one exchange for one policy.
type Outcome struct {
	Policy   string
	Verdict  Verdict
	Returned time.Duration // when the caller gets control back, since the exchange's start; -1: it depends on the next exchange, or is not known
	Held     time.Duration // how much of that came after the answer was readable
	Censored bool          // Held is a lower bound: the capture, or the recorded client, ended first
	Next     Next
	Why      string // one sentence
	Ran      bool   // of Reissued: the call is known to have run, because its result had begun to arrive, or came too late
}
