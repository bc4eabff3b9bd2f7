package capture

// Quality counts what could not be read of one input. Every count is shown to the user.
type Quality struct {
	Packets               int64 // packets read
	TCPGaps               int
	GapBytes              int64
	RetransmittedSegments int
	SnaplenCutPackets     int
	UndecodablePackets    int
	TLSOpaqueConnections  int
	MidStartConnections   int
	OneSidedConnections   int
	NonMCPExchanges       int
	TruncatedInput        bool
	TruncatedAt           int64 // byte offset in the (decompressed) input, where TruncatedInput
	DroppedByCapture      int64 // packets the capturing program said it had dropped
	OutsideResets         int
	DuplicatePackets      int
	LimitCuts             int // times one of our own limits cut something off
	HTTP3Packets          int // QUIC long-header packets on UDP 443
	First, Last           Instant
	Notes                 []string // one line each, for what has no count
}
