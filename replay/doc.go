// Package replay plays one recorded exchange through a client policy and says what that client would have made of it.
//
// The words it owns: a [Policy] is how one client treats a response; a [View] is what the client can have of it by some
// moment; an [Outcome] is the [Verdict] on the pair, when the caller gets control back and what the client does next;
// a cut breaks the recorded response after a chosen body byte; a sweep does so after every one; a landmark is a place in
// a response that a person knows by name.
//
// There are two kinds of policy. A generic one judges a View: what a reader by the rules of HTTP and HTML could have. A
// product's is a client, fed the bytes of the wire as they became readable, that takes off the layers as its product does,
// bugs included; it can be asked after any byte what it would make of an end there.
//
// Time is virtual: the recorded chunk times, counted from the first request byte. Nothing is sent anywhere, a re-issue
// least of all.
//
// Two cautions. "Delivered" is about the client: a call whose answer had only begun to arrive was executed all the
// same, and re-issuing it runs it twice although the rule asks for it. And a capture shows when bytes passed the
// recorder, not when the client's program read them.
//
// Not modelled: a client's own scheduling, its connection pool, what its application does with an error, OAuth, and options
// that its application may set. What a re-issue or a resumption brings is another exchange.
package replay
