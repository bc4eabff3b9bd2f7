// Package replay plays one recorded exchange through a client policy and says what that client would have made of it.
//
// The words it owns: a [Policy] is how one client treats a response; a [View] is what the client can have of it by some
// moment; an [Outcome] is the [Verdict] on the pair, when the caller gets control back and what the client does next;
// a cut breaks the recorded response after a chosen body byte.
//
// Time is virtual: the recorded chunk times, counted from the first request byte. Nothing is sent anywhere, a re-issue
// least of all.
//
// Two cautions. "Delivered" is about the client: a call whose answer had only begun to arrive was executed all the
// same, and re-issuing it runs it twice although the rule asks for it. And a capture shows when bytes passed the
// recorder, not when the client's program read them.
//
// Not modelled: a client's own scheduling, its connection pool, and what its application does with an error.
package replay
