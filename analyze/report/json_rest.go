package report

import (
	"mcptrace/analyze"
	"mcptrace/capture"
)

type jsonInput struct {
	Path    string `json:"path"`
	Kind    string `json:"kind"`
	Packets int64  `json:"packets"`
}

type jsonQuality struct {
	TCPGaps       int      `json:"tcp_gaps"`
	GapBytes      int64    `json:"gap_bytes"`
	Retransmitted int      `json:"retransmitted_segments"`
	SnaplenCut    int      `json:"snaplen_cut_packets"`
	Undecodable   int      `json:"undecodable_packets"`
	TLSOpaque     int      `json:"tls_opaque_connections"`
	MidStart      int      `json:"mid_start_connections"`
	OneSided      int      `json:"one_sided_connections"`
	NonMCP        int      `json:"non_mcp_exchanges"`
	Truncated     bool     `json:"truncated_input"`
	Dropped       int64    `json:"dropped_by_capture"`
	Duplicates    int      `json:"duplicate_packets"`
	OutsideResets int      `json:"resets_outside_window"`
	LimitCuts     int      `json:"limit_cuts"`
	HTTP3         int      `json:"http3_packets"`
	Notes         []string `json:"notes,omitempty"`
}

type jsonSession struct {
	Label       string    `json:"label"`
	Client      string    `json:"client"`
	Server      string    `json:"server"`
	Transport   string    `json:"transport"`
	Negotiated  *string   `json:"negotiated_version"`
	ClientInfo  *jsonInfo `json:"client_info"`
	ServerInfo  *jsonInfo `json:"server_info"`
	UserAgent   *string   `json:"user_agent"`
	HasID       bool      `json:"has_id"`
	Start       string    `json:"start"`
	Exchanges   []int     `json:"exchanges"`
	FirstUseful *int64    `json:"first_useful_ns"`
	Hold        int64     `json:"hold_ns"`
	Blocked     int64     `json:"blocked_ns"`
	End         string    `json:"end"`
	Lifetime    int64     `json:"lifetime_ns"`
	Handshake   *int64    `json:"handshake_ns"`
	Expired     int       `json:"answered_404"`
	ExpiredAt   *string   `json:"expired_at"`
	DeletedAt   *string   `json:"deleted_at"`
	Stream      *string   `json:"get_stream"`
}

type jsonInfo struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonFailure struct {
	Client string  `json:"client"`
	Server string  `json:"server"`
	Start  string  `json:"start"`
	Kind   string  `json:"kind"`
	By     *string `json:"by"`
}

type jsonFinding struct {
	Code       string `json:"code"`
	Severity   string `json:"severity"`
	Exchanges  []int  `json:"exchanges"`
	Offset     *int64 `json:"offset"`
	At         *int64 `json:"at_ns"`
	Confidence string `json:"confidence"`
	Gap        bool   `json:"gap,omitempty"`
	Message    string `json:"message"`
}

type jsonTotals struct {
	Exchanges         int   `json:"exchanges"`
	Calls             int   `json:"calls"`
	Delivered         int   `json:"delivered"`
	Lost              int   `json:"lost"`
	LostExecuted      int   `json:"lost_executed"`
	Unknown           int   `json:"unknown"`
	Breaks            int   `json:"breaks"`
	BreaksByClient    int   `json:"breaks_by_client"`
	BreaksAfterAnswer int   `json:"breaks_after_answer"`
	ClientCloses      int   `json:"client_closes_after_answer"`
	Reissues          int   `json:"reissues"`
	Duplicates        int   `json:"duplicates"`
	DuplicatesLikely  int   `json:"duplicates_likely"`
	Hold              int64 `json:"hold_ns"`
	Blocked           int64 `json:"blocked_ns"`
}

func inputsOf(a *analyze.Analyzer) []jsonInput {
	out := make([]jsonInput, 0, len(a.Inputs))
	for _, in := range a.Inputs {
		out = append(out, jsonInput{in.Path, in.Kind, in.Quality.Packets})
	}
	return out
}

func qualityOf(a *analyze.Analyzer) jsonQuality {
	q := a.Quality
	j := jsonQuality{TCPGaps: q.TCPGaps, GapBytes: q.GapBytes, Retransmitted: q.RetransmittedSegments, SnaplenCut: q.SnaplenCutPackets,
		Undecodable: q.UndecodablePackets, TLSOpaque: q.TLSOpaqueConnections, MidStart: q.MidStartConnections, OneSided: q.OneSidedConnections,
		NonMCP: q.NonMCPExchanges, Truncated: q.TruncatedInput, Dropped: q.DroppedByCapture, Duplicates: q.DuplicatePackets,
		OutsideResets: q.OutsideResets, LimitCuts: q.LimitCuts, HTTP3: q.HTTP3Packets}
	for _, in := range a.Inputs {
		j.Notes = append(j.Notes, in.Quality.Notes...)
	}
	return j
}

func sessionOf(s *analyze.Session) jsonSession {
	j := jsonSession{Label: s.Label, Client: s.Client, Server: s.Server, Transport: s.Transport, Negotiated: text(s.Negotiated), UserAgent: text(s.UserAgent),
		ClientInfo: info(s.ClientName, s.ClientVersion), ServerInfo: info(s.ServerName, s.ServerVersion), HasID: s.HasID, Start: stamp(s.Start),
		Exchanges: ids(s.Cases), FirstUseful: since(s.FirstUseful), Hold: int64(s.Hold), Blocked: int64(s.Blocked),
		End: stamp(s.End), Lifetime: int64(s.End.Sub(s.Start)), Handshake: since(s.Handshake), Expired: s.Expired, ExpiredAt: moment(s.ExpiredAt), DeletedAt: moment(s.Deleted),
		Stream: text(s.Stream)}
	return j
}

// moment returns a time as stamp writes it, null where there is none.
func moment(i capture.Instant) *string {
	if i == 0 {
		return nil
	}
	return text(stamp(i))
}

func info(name, version string) *jsonInfo {
	if name == "" {
		return nil
	}
	return &jsonInfo{name, version}
}

func ids(cs []*analyze.Case) []int {
	out := make([]int, 0, len(cs))
	for _, c := range cs {
		out = append(out, c.ID)
	}
	return out
}

func failureOf(f capture.ConnectFailure) jsonFailure {
	return jsonFailure{address(f.Client), address(f.Server), stamp(f.Start), f.Kind, text(f.By)}
}

func findingOf(f analyze.Finding) jsonFinding {
	j := jsonFinding{Code: f.Code, Severity: f.Severity.String(), Exchanges: ids(f.Cases), At: since(f.At), Confidence: f.Confidence, Gap: f.Gap, Message: f.Message}
	if f.Offset >= 0 {
		j.Offset = &f.Offset
	}
	return j
}

func totalsOf(t analyze.Totals) jsonTotals {
	return jsonTotals{t.Exchanges, t.Calls, t.Delivered, t.Lost, t.LostExecuted, t.Unknown, t.Breaks, t.BreaksByClient, t.BreaksAfterAnswer,
		t.ClientClosesAfterAnswer, t.Reissues, t.Duplicates, t.DuplicatesLikely, int64(t.Hold), int64(t.Blocked)}
}
