package store

import "mcptrace/capture"

var inputColumns = []string{"id", "path", "kind", "packets", "tcp_gaps", "gap_bytes", "retransmitted_segments", "snaplen_cut_packets",
	"undecodable_packets", "tls_opaque_connections", "mid_start_connections", "one_sided_connections", "non_mcp_exchanges", "truncated_at",
	"dropped_by_capture", "outside_resets", "duplicate_packets", "limit_cuts", "http3_packets", "first_at", "last_at", "notes"}

// inputRow returns the values of inputColumns.
func inputRow(id int, in *Input) []any {
	var truncated any
	if in.TruncatedInput {
		truncated = in.TruncatedAt
	}
	return []any{id, in.Path, in.Kind, in.Packets, in.TCPGaps, in.GapBytes, in.RetransmittedSegments, in.SnaplenCutPackets,
		in.UndecodablePackets, in.TLSOpaqueConnections, in.MidStartConnections, in.OneSidedConnections, in.NonMCPExchanges, truncated,
		in.DroppedByCapture, in.OutsideResets, in.DuplicatePackets, in.LimitCuts, in.HTTP3Packets, moment(in.First), moment(in.Last), list(in.Notes)}
}

// inputOf undoes inputRow.
func inputOf(v *values) (in Input) {
	number[int64](v) // id: they are read in its order
	in.Path, in.Kind = v.text(), v.text()
	in.Packets, in.TCPGaps, in.GapBytes, in.RetransmittedSegments = number[int64](v), number[int](v), number[int64](v), number[int](v)
	in.SnaplenCutPackets, in.UndecodablePackets, in.TLSOpaqueConnections = number[int](v), number[int](v), number[int](v)
	in.MidStartConnections, in.OneSidedConnections, in.NonMCPExchanges = number[int](v), number[int](v), number[int](v)
	if !v.null() {
		in.TruncatedInput, in.TruncatedAt = true, number[int64](v)
	}
	in.DroppedByCapture, in.OutsideResets, in.DuplicatePackets = number[int64](v), number[int](v), number[int](v)
	in.LimitCuts, in.HTTP3Packets = number[int](v), number[int](v)
	in.First, in.Last, in.Notes = v.moment(), v.moment(), parsed(v, parseList)
	return in
}

var failureColumns = []string{"client", "server", "start_at", "kind", "side"}

// failureRow returns the values of failureColumns.
func failureRow(f capture.ConnectFailure) []any {
	return []any{address(f.Client), address(f.Server), moment(f.Start), f.Kind, nullIf(f.By, "")}
}

// failureOf undoes failureRow.
func failureOf(v *values) capture.ConnectFailure {
	f := capture.ConnectFailure{Client: parsed(v, parseAddress), Server: parsed(v, parseAddress), Start: v.moment(), Kind: v.text()}
	if !v.null() {
		f.By = v.text()
	}
	return f
}
