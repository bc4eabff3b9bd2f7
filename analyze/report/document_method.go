package report

import (
	"fmt"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

func capInstant(d time.Duration) capture.Instant { return capture.Instant(d) }

// quality says how good the capture is and what could not be seen.
func (w *writer) quality() part {
	q := w.a.Quality
	p := part{ID: "quality", Title: "Quality of the capture"}
	g := &grid{Caption: "What was read, and what could not be", Head: []string{"what", "number"}, Right: map[int]bool{1: true}}
	n := func(label string, v int64, key string) {
		c := cell{Text: fmt.Sprint(v), Raw: v}
		if key != "" {
			c.Key = "quality." + key
		}
		g.add(words(label), c)
	}
	n("packets", q.Packets, "")
	n("gaps in TCP streams", int64(q.TCPGaps), "tcp_gaps")
	n("bytes in gaps", q.GapBytes, "gap_bytes")
	n("segments seen again", int64(q.RetransmittedSegments), "retransmitted_segments")
	n("packets cut by the snap length", int64(q.SnaplenCutPackets), "snaplen_cut_packets")
	n("packets not decoded", int64(q.UndecodablePackets), "undecodable_packets")
	n("packets dropped by the capturing program", q.DroppedByCapture, "dropped_by_capture")
	n("copies of packets left out", int64(q.DuplicatePackets), "duplicate_packets")
	n("TLS connections without keys", int64(q.TLSOpaqueConnections), "tls_opaque_connections")
	n("connections that were open before", int64(q.MidStartConnections), "mid_start_connections")
	n("connections seen in one direction only", int64(q.OneSidedConnections), "one_sided_connections")
	n("HTTP exchanges that are not MCP", int64(q.NonMCPExchanges), "non_mcp_exchanges")
	n("resets outside the window, ignored", int64(q.OutsideResets), "resets_outside_window")
	n("things cut off or left out by a limit of this program", int64(q.LimitCuts), "limit_cuts")
	n("HTTP/3 packets, not decoded", int64(q.HTTP3Packets), "http3_packets")
	p.Blocks = append(p.Blocks, block{Table: g})
	notes := 0
	for _, in := range w.a.Inputs {
		for _, s := range in.Quality.Notes {
			if notes++; notes <= 20 {
				p.Blocks = append(p.Blocks, para("%s: %s.", in.Path, s))
			}
		}
	}
	if n := len(w.a.Failures); n > 0 {
		p.Blocks = append(p.Blocks, para("%s to reach a server of MCP never carried a request.", plural(n, "attempt")))
	}
	return p
}

// method says how the report came about and which rules it rests on.
func (w *writer) method() part {
	p := part{ID: "method", Title: "Method and rules"}
	say := func(s string) { p.Blocks = append(p.Blocks, block{Text: s}) }
	say("Packets were put together into TCP streams, these into HTTP exchanges, their bodies into server-sent events by the rules of the HTML standard (section 9.2.6) and into JSON-RPC messages. Each byte has the time at which a reader could have had it.")
	say("An answer is dispatched when the blank line behind its event (or the end of the HTTP body, for JSON) could be read. It is delivered when, besides, the client's host acknowledged it, or a later message of the client presupposes it.")
	say("A second attempt is a call with the same method and parameters in the same session, or from the same client, shortly after the first one ended or was given up. Attempts are matched one to one, in order of time.")
	say("The what-if table plays every exchange through models of clients, with the recorded bytes at the recorded times.")
	say("Arguments, results, credentials, session ids and event ids are not in this report unless it was made with --include-payload. Hashes are the first 8 bytes of SHA-256.")
	seen := map[string]bool{}
	for _, f := range w.a.Findings {
		seen[f.Code] = true
	}
	g := &grid{Caption: "The rules behind the findings", Head: []string{"code", "what it means and what to do", "rests on"}}
	for _, r := range analyze.Rules() {
		if seen[r.Code] {
			g.add(words(r.Code), words(r.Text), words(r.Source))
		}
	}
	if len(g.Rows) > 0 {
		p.Blocks = append(p.Blocks, block{Table: g})
	}
	pol := &grid{Caption: "The client policies", Head: []string{"policy", "what it does", "whose behaviour", "source"}}
	for _, x := range w.a.Policies() {
		pol.add(words(x.Name), words(x.Doc), words(x.Client), words(x.Source))
	}
	p.Blocks = append(p.Blocks, block{Table: pol})
	return p
}
