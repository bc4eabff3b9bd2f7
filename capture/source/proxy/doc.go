// Package proxy is a logging reverse proxy for HTTP/1.1 that leaves the incident as it is: it forwards every byte as it
// comes and passes each ending on as what it was, a reset as a reset, a FIN as a FIN, behind the same byte.
//
// Words it owns: a link is one client's connection together with the one to the upstream that serves it alone; a leg is
// one of the two; a window is what was read and may not be forwarded yet; a refusal is an answer of the proxy's own, to a
// request that it does not forward. Other words are RFC 9110's and RFC 9112's.
//
// Offsets count the bytes of one leg's peer from 0, as they came. Times are taken when bytes are read; acknowledgements
// when the kernel says that the peer has them (Linux), elsewhere when the write was complete.
//
// Requests are framed strictly and refused where two readers could frame them differently; responses are passed on
// however they are framed, but for one that says its length in two ways. Nothing is added but, where the upstream needs
// it, its own Host.
//
// It deliberately does not repeat, buffer, decode or re-frame anything, share connections between clients, follow
// redirects, speak HTTP/2, nor look at what the messages mean.
package proxy
