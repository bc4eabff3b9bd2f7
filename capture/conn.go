package capture

import (
	"net/netip"
	"time"
)

// Instant is a moment as the recorder's clock told it: nanoseconds since the Unix epoch.
// The zero Instant means "not known".
type Instant int64

// Time returns the moment in UTC.
func (i Instant) Time() time.Time { return time.Unix(0, int64(i)).UTC() }

// Sub returns the time that passed from j to i.
func (i Instant) Sub(j Instant) time.Duration { return time.Duration(i - j) }

// Side is one of the two ends of a connection.
type Side uint8

// The two sides. The client is who opened the connection or, where that was not seen, who sent the request.
const (
	Client Side = iota
	Server
)

// Peer returns the other side.
func (s Side) Peer() Side { return s ^ 1 }

// String returns "client" or "server".
func (s Side) String() string {
	if s == Client {
		return "client"
	}
	return "server"
}

// Stamp says when a run of bytes passed, and where in the input to look for it.
type Stamp struct {
	Seen   Instant // its packet passed the capture point
	At     Instant // a reader could have had it: Seen, or later if bytes before it were late. Never decreases within a direction
	Packet int64   // the packet, counted from 1 in its input, that made it readable; 0 where there are no packets
}

// How is the way in which one side ended its direction of a connection.
type How uint8

// The ways a direction ends.
const (
	NoEnd       How = iota // not seen to end
	FIN                    // closed in order
	RST                    // reset
	CloseNotify            // TLS close_notify alert: closed in order above TCP
	FatalAlert             // a fatal TLS alert
)

// Duplex takes what is learnt of one connection in the order in which it was learnt.
//
// Offsets count the bytes of one direction from 0. The bytes of a direction arrive contiguous: between two calls of
// Data stand only bytes that Missing told of. Slices are lent for the call. Calls for one connection come from one
// goroutine; Close comes once, last.
//
// TCP, TLS and the proxy all end in this interface, so that whatever carries the bytes, one piece of code pairs them
// into exchanges.
type Duplex interface {
	// Data is the next run of bytes that side sent.
	Data(from Side, p []byte, s Stamp)
	// Missing tells of n bytes that side sent and the recorder did not see.
	Missing(from Side, n int64, s Stamp)
	// Ack tells that the peer of side acknowledged side's bytes before offset off.
	// gone: the acknowledgement rode on a reset, or came after the acknowledging side had closed; it proves nothing.
	Ack(of Side, off int64, gone bool, s Stamp)
	// End tells that side ended its direction. For RST both directions are over.
	End(by Side, how How, s Stamp)
	// Close tells that nothing more will come: the recorder stopped or forgot the connection.
	Close(s Stamp)
}

// Recorder receives connections from a source as they begin.
type Recorder interface {
	// Connection is called when the first byte of a connection passes, with what is known of it by then. The source
	// goes on filling in c until it calls Close on the returned Duplex.
	Connection(c *Conn) Duplex
	// ConnectFailure tells of an attempt to connect that never carried a byte.
	ConnectFailure(f ConnectFailure)
	// Secrets hands over TLS key log lines found in the input (pcapng decryption secrets), before the packets they serve.
	Secrets(keylog []byte)
}

// Conn is one TCP connection, or one run of a stdio server.
type Conn struct {
	ID     int64 // counts connections within one recording, in order of their first packet
	Input  int   // index of the input it came from
	Client netip.AddrPort
	Server netip.AddrPort
	Open   Instant // first packet
	Last   Instant // last packet

	Vantage       Vantage
	MidStart      bool  // the handshake was not seen
	OneSided      bool  // only one direction was seen
	ClientDataTTL uint8 // TTL or hop limit of the client's data packets, 0 unknown
	ServerDataTTL uint8

	Gaps          int32 // holes the capture left
	GapBytes      int64 // bytes in them
	Retransmitted int32 // segments seen again
	OutsideResets int32 // resets outside the window: they end nothing
	WindowCloses  int32 // times a side announced a zero window
	SnaplenCut    int32 // packets whose payload the snap length cut
	CopiesDropped int32 // packets of a second copy of this connection (mirror port, address translation)
	AlsoSeenAs    []string
	Closings      []Closing
	TLS           *TLSInfo // nil: not TLS
}

// Closing is one FIN, RST or TLS alert, in the order in which they passed.
type Closing struct {
	By     Side
	How    How
	TTL    uint8 // of the packet, 0 unknown
	Alert  uint8 // TLS alert description, for FatalAlert
	At     Instant
	Packet int64
	Offset int64 // bytes that side had sent
}

// FirstClosing returns the first closing by that side, or nil.
func (c *Conn) FirstClosing(by Side) *Closing {
	for i := range c.Closings {
		if c.Closings[i].By == by {
			return &c.Closings[i]
		}
	}
	return nil
}

// TLSInfo is what can be said of a TLS connection without its keys, and whether it could be read.
type TLSInfo struct {
	SNI, ALPN string
	Version   string
	Suite     string
	Readable  bool   // the keys were there and fitted
	Why       string // why it could not be read, or not wholly
	Bytes     [2]int64
}

// Vantage says who held the clock.
type Vantage struct {
	Kind      string        // network, proxy, stdio
	RTTClient time.Duration // from the recorder to the client and back: SYN-ACK to ACK; 0 unknown
	RTTServer time.Duration // from the recorder to the server and back: SYN to SYN-ACK; 0 unknown
}

// ConnectFailure is an attempt to connect that never carried a request.
type ConnectFailure struct {
	Client, Server netip.AddrPort
	Start          Instant
	Kind           string // refused, timeout, reset, tls-handshake
	By             string // client, server or ""
}
