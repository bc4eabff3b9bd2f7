// Package bigpcap writes captures of any size together with the truth about them: what an analysis has to find.
//
// The words it owns: a flow is one TCP connection with its disorder (segments lost before the capture point and sent
// again, reordered, sent twice); a session is one MCP client with its calls, breaks and re-issues; noise is what is no
// MCP. [Truth] counts what the sessions did, in the words of the report's totals.
//
// Times are nanoseconds since the first packet. The same Options give the same bytes.
//
// Not made: TLS that can be read, HTTP/2, IPv6, holes that the capture itself left. The truth of those depends on how a
// reader deals with them.
package bigpcap
