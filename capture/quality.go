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

// Add adds the counts of b to q. The span of time then covers both; notes are appended.
func (q *Quality) Add(b Quality) {
	q.Packets += b.Packets
	q.TCPGaps += b.TCPGaps
	q.GapBytes += b.GapBytes
	q.RetransmittedSegments += b.RetransmittedSegments
	q.SnaplenCutPackets += b.SnaplenCutPackets
	q.UndecodablePackets += b.UndecodablePackets
	q.TLSOpaqueConnections += b.TLSOpaqueConnections
	q.MidStartConnections += b.MidStartConnections
	q.OneSidedConnections += b.OneSidedConnections
	q.NonMCPExchanges += b.NonMCPExchanges
	q.DroppedByCapture += b.DroppedByCapture
	q.OutsideResets += b.OutsideResets
	q.DuplicatePackets += b.DuplicatePackets
	q.LimitCuts += b.LimitCuts
	q.HTTP3Packets += b.HTTP3Packets
	if b.TruncatedInput {
		q.TruncatedInput, q.TruncatedAt = true, b.TruncatedAt
	}
	if q.First == 0 || b.First != 0 && b.First < q.First {
		q.First = b.First
	}
	q.Last = max(q.Last, b.Last)
	q.Notes = append(q.Notes, b.Notes...)
}
