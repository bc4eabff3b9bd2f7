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

// scanInput undoes inputRow.
func scanInput(row scanner) (in Input, err error) {
	var id int64
	var truncated, first, last *int64
	var notes string
	err = row.Scan(&id, &in.Path, &in.Kind, &in.Packets, &in.TCPGaps, &in.GapBytes, &in.RetransmittedSegments, &in.SnaplenCutPackets,
		&in.UndecodablePackets, &in.TLSOpaqueConnections, &in.MidStartConnections, &in.OneSidedConnections, &in.NonMCPExchanges, &truncated,
		&in.DroppedByCapture, &in.OutsideResets, &in.DuplicatePackets, &in.LimitCuts, &in.HTTP3Packets, &first, &last, &notes)
	if err != nil {
		return in, err
	}
	if truncated != nil {
		in.TruncatedInput, in.TruncatedAt = true, *truncated
	}
	in.First, in.Last = instant(first), instant(last)
	in.Notes, err = parseList(notes)
	return in, err
}

// scanFailure reads a row of connect_failure.
func scanFailure(row scanner) (f capture.ConnectFailure, err error) {
	var client, server string
	var start *int64
	var by *string
	if err = row.Scan(&client, &server, &start, &f.Kind, &by); err != nil {
		return f, err
	}
	f.Start = instant(start)
	if by != nil {
		f.By = *by
	}
	if f.Client, err = parseAddress(client); err != nil {
		return f, err
	}
	f.Server, err = parseAddress(server)
	return f, err
}
