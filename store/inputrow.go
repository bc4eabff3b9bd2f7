package store

import (
	"mcptrace/capture"
	"mcptrace/store/lite"
)

var inputColumns = []string{"id", "path", "kind", "packets", "tcp_gaps", "gap_bytes", "retransmitted_segments", "snaplen_cut_packets",
	"undecodable_packets", "tls_opaque_connections", "mid_start_connections", "one_sided_connections", "non_mcp_exchanges", "truncated_at",
	"dropped_by_capture", "outside_resets", "duplicate_packets", "limit_cuts", "http3_packets", "first_at", "last_at", "notes"}

// inputRow returns the values of inputColumns.
func inputRow(id int, in *Input) []lite.Value {
	var truncated lite.Value
	if in.TruncatedInput {
		truncated = intOf(in.TruncatedAt)
	}
	return []lite.Value{intOf(id), lite.Text(in.Path), lite.Text(in.Kind), intOf(in.Packets), intOf(in.TCPGaps), intOf(in.GapBytes),
		intOf(in.RetransmittedSegments), intOf(in.SnaplenCutPackets), intOf(in.UndecodablePackets), intOf(in.TLSOpaqueConnections),
		intOf(in.MidStartConnections), intOf(in.OneSidedConnections), intOf(in.NonMCPExchanges), truncated, intOf(in.DroppedByCapture),
		intOf(in.OutsideResets), intOf(in.DuplicatePackets), intOf(in.LimitCuts), intOf(in.HTTP3Packets), moment(in.First), moment(in.Last),
		lite.Text(list(in.Notes))}
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
func failureRow(f capture.ConnectFailure) []lite.Value {
	return []lite.Value{lite.Text(address(f.Client)), lite.Text(address(f.Server)), moment(f.Start), lite.Text(f.Kind), textOr(f.By)}
}

// failureOf undoes failureRow.
func failureOf(v *values) capture.ConnectFailure {
	f := capture.ConnectFailure{Client: parsed(v, parseAddress), Server: parsed(v, parseAddress), Start: v.moment(), Kind: v.text()}
	if !v.null() {
		f.By = v.text()
	}
	return f
}
