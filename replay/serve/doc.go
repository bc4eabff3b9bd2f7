// Package serve plays a recorded MCP server to a live client: the same status, head, chunk boundaries, pauses and ending,
// or a chosen ending at a chosen byte; and says what the client did about it.
//
// The words it owns: a [Recording] is the exchanges to be served; a [Play] is one live request, what was played to it and
// what its client did; a [Cut] ends a response elsewhere than it ended when recorded; a [Place] is where, an [End] how; a
// sweep plays to one client program after another, with another cut each time. A live session is what one client's
// session id names; a gate holds a stream back until the client has sent what the bytes behind it refer to.
//
// A live request is paired with a recorded one by HTTP method, target, JSON-RPC method and parameters without _meta; of
// several, the session gets those it has not had yet first, of these one with the same id, of these the earliest
// (docs/serve.md has the whole order). When all have been played they are played again. What a client says of itself in initialize does not matter.
//
// What belongs to the recorded client is replaced by what belongs to the live one: ids of calls, progress tokens, ids of
// sessions where several clients would share one, the endpoint of the 2024-11-05 transport. Everything else is sent as it
// was recorded, and where nothing has to be replaced the bytes are the same to the last one. Offsets of cuts are those of
// the recording, even where a longer id shifts what is sent.
//
// Times count from the end of the request, in the recording and live. A body offset counts recorded bytes with transfer
// coding taken off and content coding left on.
//
// It deliberately never checks what the client sends beyond that, has no tools of its own to call, does not play a
// server's idle closes of a connection between two exchanges, and does not delay its acknowledgements or segments as the
// network did.
package serve
