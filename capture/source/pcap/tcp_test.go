package pcap

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
)

// What is told of a connection, line by line.
func TestConnection(t *testing.T) {
	big := text(3000, 1)
	tests := []struct {
		name    string
		packets []pkt
		want    string // the log, lines divided by "; "
		check   func(c *capture.Conn, q capture.Quality) string
	}{
		{"request, answer, close", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 11, side: 's', flags: "A", seq: 1, ack: 6},
			pkt{ms: 12, side: 's', flags: "PA", seq: 1, ack: 6, data: "HTTP/1.1 200"},
			pkt{ms: 13, side: 'c', flags: "A", seq: 6, ack: 13},
			pkt{ms: 14, side: 's', flags: "FA", seq: 13, ack: 6},
			pkt{ms: 15, side: 'c', flags: "FA", seq: 6, ack: 14},
			pkt{ms: 16, side: 's', flags: "A", seq: 14, ack: 7},
		), "client data 5 #4; client acked 5 #5; server data 12 #6; server acked 12 #7; server end 1 #8; client end 1 #9; close",
			func(c *capture.Conn, q capture.Quality) string {
				v := c.Vantage
				if v.RTTServer != time.Millisecond || v.RTTClient != 2*time.Millisecond || c.MidStart || c.OneSided || len(c.Closings) != 2 {
					return fmt.Sprintf("%+v", c)
				}
				if c.Closings[1].By != capture.Client || c.Closings[1].Offset != 5 || c.Closings[0].Offset != 12 {
					return fmt.Sprintf("%+v", c.Closings)
				}
				return ""
			}},
		{"the FIN carries the acknowledgement", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "PA", seq: 1, ack: 6, data: "HTTP/1.1 200"},
			pkt{ms: 13, side: 'c', flags: "FA", seq: 6, ack: 13},
			pkt{ms: 14, side: 's', flags: "PA", seq: 13, ack: 7, data: "late"},
			pkt{ms: 15, side: 'c', flags: "A", seq: 7, ack: 17},
		), "client data 5 #4; client acked 5 #5; server data 12 #5; server acked 12 #6; client end 1 #6; server data 4 #7; server acked 16 gone #8; close", nil},
		{"retransmission", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 40, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
		), "client data 5 #4; close", wantRetransmitted(1)},
		{"overlap: the first copy wins", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 40, side: 'c', flags: "PA", seq: 3, ack: 1, data: "XXXabc"},
		), "client data 5 #4; client data 3 #5; close", wantRetransmitted(1)},
		{"late segment", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 6, ack: 1, data: "mcp"},
			pkt{ms: 20, side: 'c', flags: "PA", seq: 9, ack: 1, data: " HTTP"},
			pkt{ms: 30, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
		), "client data 5 #6; client data 3 #6; client data 5 #6; close", wantRetransmitted(0)},
		{"late segment, lost by the capture", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 11, side: 's', flags: "A", seq: 1, ack: 6},
			pkt{ms: 20, side: 's', flags: "PA", seq: 11, ack: 6, data: "second"},
			pkt{ms: 21, side: 'c', flags: "A", seq: 6, ack: 17},
			pkt{ms: 22, side: 's', flags: "PA", seq: 17, ack: 6, data: "third"},
			pkt{ms: 90, side: 'c', flags: "A", seq: 6, ack: 22},
		), "client data 5 #4; client acked 5 #5; server missing 10 #7; server data 6 #7; server data 5 #8; server acked 16 #7; server acked 21 #9; close",
			func(c *capture.Conn, q capture.Quality) string {
				if c.Gaps != 1 || c.GapBytes != 10 || q.TCPGaps != 1 || q.GapBytes != 10 {
					return fmt.Sprintf("%+v", c)
				}
				return ""
			}},
		{"acknowledgement recorded before the data", hello(
			pkt{ms: 10, side: 'c', flags: "A", seq: 1, ack: 6},
			pkt{ms: 11, side: 's', flags: "PA", seq: 1, ack: 1, data: "hello"},
		), "server data 5 #5; server acked 5 #4; close", wantGaps(0)},
		{"the end was not captured, but acknowledged", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "A", seq: 1, ack: 106},
		), "client data 5 #4; client acked 5 #5; client missing 100 #5; client acked 105 #5; close", nil},
		{"a FIN that was not captured is no byte", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "A", seq: 1, ack: 7},
			pkt{ms: 99, side: 's', flags: "A", seq: 1, ack: 7},
		), "client data 5 #4; client acked 5 #5; close", wantGaps(0)},
		{"FIN before the hole is filled", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 20, side: 's', flags: "FPA", seq: 6, ack: 6, data: "world"},
			pkt{ms: 30, side: 's', flags: "PA", seq: 1, ack: 6, data: "hello"},
		), "client data 5 #4; client acked 5 #5; server data 5 #6; server data 5 #6; server end 1 #5; close", wantGaps(0)},
		{"keep-alive probes", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "A", seq: 1, ack: 6},
			pkt{ms: 9000, side: 'c', flags: "A", seq: 5, ack: 1, data: "\x00"},
			pkt{ms: 9001, side: 's', flags: "A", seq: 1, ack: 6},
			pkt{ms: 19000, side: 'c', flags: "A", seq: 5, ack: 1},
			pkt{ms: 19001, side: 's', flags: "A", seq: 0, ack: 6},
		), "client data 5 #4; client acked 5 #5; close", wantRetransmitted(0)},
		{"reset", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "RA", seq: 1, ack: 6, ttl: 51},
			pkt{ms: 13, side: 's', flags: "RA", seq: 1, ack: 6},
			pkt{ms: 13, side: 'c', flags: "R", seq: 6},
		), "client data 5 #4; client acked 5 gone #5; server end 2 #5; client end 2 #7; close",
			func(c *capture.Conn, q capture.Quality) string {
				if len(c.Closings) != 3 || c.Closings[0].TTL != 51 || c.ClientDataTTL != 64 || c.ServerDataTTL != 0 {
					return fmt.Sprintf("%+v", c)
				}
				return ""
			}},
		{"reset outside the window", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "R", seq: 100_000_000},
			pkt{ms: 13, side: 's', flags: "R", seq: -100_000},
			pkt{ms: 14, side: 's', flags: "PA", seq: 1, ack: 6, data: "HTTP"},
		), "client data 5 #4; client acked 5 #7; server data 4 #7; close",
			func(c *capture.Conn, q capture.Quality) string {
				if c.OutsideResets != 2 || q.OutsideResets != 2 || len(c.Closings) != 0 {
					return fmt.Sprintf("%+v", c)
				}
				return ""
			}},
		{"reset inside the scaled window", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 's', flags: "R", seq: 8_000_000},
		), "client data 5 #4; server end 2 #5; close", nil},
		{"zero window", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
			pkt{ms: 12, side: 'c', flags: "A", seq: 6, ack: 1, zero: true},
			pkt{ms: 13, side: 'c', flags: "A", seq: 6, ack: 1, zero: true},
			pkt{ms: 14, side: 'c', flags: "A", seq: 6, ack: 1},
			pkt{ms: 15, side: 'c', flags: "A", seq: 6, ack: 1, zero: true},
		), "client data 5 #4; close", func(c *capture.Conn, q capture.Quality) string {
			if c.WindowCloses != 2 {
				return fmt.Sprint(c.WindowCloses)
			}
			return ""
		}},
		{"snap length", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: big[:1000], cut: 900},
			pkt{ms: 11, side: 'c', flags: "PA", seq: 1001, ack: 1, data: big[:1000], cut: 1000},
			pkt{ms: 12, side: 's', flags: "A", seq: 1, ack: 2001},
		), "client data 100 #4; client missing 900 #4; client missing 1000 #5; client acked 2000 #6; close",
			func(c *capture.Conn, q capture.Quality) string {
				if c.SnaplenCut != 2 || q.SnaplenCutPackets != 2 || c.Gaps != 0 {
					return fmt.Sprintf("%+v", c)
				}
				return ""
			}},
		{"in the middle, the server speaks", []pkt{
			{ms: 0, side: 's', flags: "PA", seq: 5001, ack: 1001, data: "HTTP/1.1 200 OK"},
			{ms: 1, side: 'c', flags: "A", seq: 1001, ack: 5016},
		}, "server data 15 #1; server acked 15 #2; close", func(c *capture.Conn, q capture.Quality) string {
			if !c.MidStart || q.MidStartConnections != 1 || c.Client.Port() != 40001 {
				return fmt.Sprintf("%+v", c)
			}
			return ""
		}},
		{"in the middle, a keep-alive probe first", []pkt{
			{ms: 0, side: 'c', flags: "A", seq: 1000, ack: 5001},
			{ms: 1, side: 's', flags: "A", seq: 5001, ack: 1001},
			{ms: 2, side: 'c', flags: "A", seq: 1000, ack: 5001, data: "\x00"},
			{ms: 9, side: 'c', flags: "PA", seq: 1001, ack: 5001, data: "GET /"},
		}, "client data 5 #4; close", nil},
		{"data in the SYN", []pkt{
			{ms: 0, side: 'c', flags: "S", data: "GET /"},
			{ms: 1, side: 's', flags: "SA", ack: 6},
			{ms: 2, side: 'c', flags: "PA", seq: 6, ack: 1, data: "mcp"},
		}, "client data 5 #1; client acked 5 #2; client data 3 #3; close", nil},
		{"only the server was captured", []pkt{
			{ms: 1, side: 's', flags: "SA", ack: 1},
			{ms: 2, side: 's', flags: "A", seq: 1, ack: 300},
			{ms: 3, side: 's', flags: "PA", seq: 1, ack: 300, data: "HTTP/1.1 200"},
			{ms: 99, side: 's', flags: "FA", seq: 13, ack: 301},
		}, "server data 12 #3; server end 1 #4; close", func(c *capture.Conn, q capture.Quality) string {
			if !c.OneSided || q.OneSidedConnections != 1 || c.Gaps != 0 || c.Client.Port() != 40001 {
				return fmt.Sprintf("%+v", c)
			}
			return ""
		}},
		{"a damaged sequence number", hello(
			pkt{ms: 10, side: 'c', flags: "PA", seq: 1 + 1<<30, ack: 1, data: "GET /"},
			pkt{ms: 11, side: 's', flags: "A", seq: 1, ack: 6 + 1<<29},
			pkt{ms: 30, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
		), "client data 5 #6; close", wantGaps(0)},
		{"handshake out of order", []pkt{
			{ms: 0, side: 's', flags: "SA", ack: 1},
			{ms: 1, side: 'c', flags: "S"},
			{ms: 2, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
		}, "client data 5 #3; close", nil},
		{"a bare FIN from the client, then the server speaks", hello(
			pkt{ms: 10, side: 'c', flags: "FA", seq: 1, ack: 1},
			pkt{ms: 12, side: 's', flags: "PA", seq: 1, ack: 2, data: "hello"},
		), "client end 1 #4; server data 5 #5; close", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, wrap := range []uint32{0, 1 << 31, 1<<32 - 3, 1<<32 - 7} { // sequence numbers wrap at any place
				k := newTalk()
				k.clientISN, k.serverISN = wrap, wrap+2
				r, q := readBytes(t, file(k.packets(tt.packets...)...))
				if len(r.conns) != 1 {
					t.Fatalf("%d connections", len(r.conns))
				}
				if got := strings.Join(r.conns[0].log, "; "); got != tt.want {
					t.Errorf("from %d:\n got %s\nwant %s", wrap, got, tt.want)
				}
				if tt.check != nil {
					if bad := tt.check(r.conns[0].conn, q[0]); bad != "" {
						t.Error(bad)
					}
				}
			}
		})
	}
}

func wantRetransmitted(n int) func(*capture.Conn, capture.Quality) string {
	return func(c *capture.Conn, q capture.Quality) string {
		if int(c.Retransmitted) != n || q.RetransmittedSegments != n {
			return fmt.Sprintf("%d retransmitted", c.Retransmitted)
		}
		return ""
	}
}

func wantGaps(n int) func(*capture.Conn, capture.Quality) string {
	return func(c *capture.Conn, q capture.Quality) string {
		if int(c.Gaps) != n {
			return fmt.Sprintf("%d gaps", c.Gaps)
		}
		return ""
	}
}

// Two generations of one pair of addresses: reset, closed, or simply opened again.
func TestReuse(t *testing.T) {
	for name, end := range map[string][]pkt{
		"reset":  {{ms: 20, side: 's', flags: "RA", seq: 1, ack: 6}},
		"closed": {{ms: 20, side: 's', flags: "FA", seq: 1, ack: 6}, {ms: 21, side: 'c', flags: "FA", seq: 6, ack: 2}},
		"unseen": nil,
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk()
			ps := k.packets(append(hello(pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"}), end...)...)
			k.clientISN, k.serverISN = 77_000_000, 88_000_000
			for _, p := range hello(pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "POST /"}) {
				p.ms += 500
				ps = append(ps, k.packet(p))
			}
			r, _ := readBytes(t, file(ps...))
			if len(r.conns) != 2 || string(r.conns[0].dir[0].data) != "GET /" || string(r.conns[1].dir[0].data) != "POST /" {
				t.Fatalf("%d connections", len(r.conns))
			}
			if r.conns[1].conn.ID <= r.conns[0].conn.ID || r.conns[1].conn.MidStart {
				t.Errorf("%+v", r.conns[1].conn)
			}
		})
	}
}

// A connection without traffic is kept; one that is over is forgotten after a while.
func TestIdle(t *testing.T) {
	k := newTalk()
	ps := hello(
		pkt{ms: 10, side: 'c', flags: "PA", seq: 1, ack: 1, data: "GET /"},
		pkt{ms: 10 * 3600e3, side: 's', flags: "PA", seq: 1, ack: 6, data: "after ten hours"},
		pkt{ms: 10*3600e3 + 1, side: 's', flags: "RA", seq: 16, ack: 6},
		pkt{ms: 10*3600e3 + 30e3, side: 's', flags: "RA", seq: 16, ack: 6},
		pkt{ms: 10*3600e3 + 200e3, side: 's', flags: "PA", seq: 16, ack: 6, data: "another"},
	)
	r, _ := readBytes(t, file(k.packets(ps...)...))
	if len(r.conns) != 2 || len(r.conns[0].conn.Closings) != 2 || string(r.conns[0].dir[1].data) != "after ten hours" {
		t.Fatalf("%d connections, %v", len(r.conns), r.conns[0].log)
	}
}

// Attempts to connect that never carried a byte.
func TestConnectFailures(t *testing.T) {
	tests := []struct {
		name    string
		packets []pkt
		want    string
	}{
		{"refused", []pkt{{ms: 0, side: 'c', flags: "S"}, {ms: 1, side: 's', flags: "RA", ack: 1}}, "refused server"},
		{"refused three times", []pkt{{ms: 0, side: 'c', flags: "S"}, {ms: 1, side: 's', flags: "RA", ack: 1},
			{ms: 500, side: 'c', flags: "S"}, {ms: 501, side: 's', flags: "RA", ack: 1}}, "refused server"},
		{"two SYNs", []pkt{{ms: 0, side: 'c', flags: "S"}, {ms: 1000, side: 'c', flags: "S"}}, "timeout "},
		{"one SYN at the end", []pkt{{ms: 0, side: 'c', flags: "S"}}, ""},
		{"reset by the server", hello(pkt{ms: 9, side: 's', flags: "RA", seq: 1, ack: 1}), "reset server"},
		{"reset by the client", hello(pkt{ms: 9, side: 'c', flags: "RA", seq: 1, ack: 1}), "reset client"},
		{"opened and closed", hello(pkt{ms: 9, side: 'c', flags: "FA", seq: 1, ack: 1}, pkt{ms: 10, side: 's', flags: "FA", seq: 1, ack: 2}), ""},
		{"opened", hello(), ""},
		{"only the client was captured", []pkt{{ms: 0, side: 'c', flags: "S"}, {ms: 9000, side: 'c', flags: "A", seq: 1, ack: 1}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, _ := readBytes(t, file(newTalk().packets(tt.packets...)...))
			var got []string
			for _, f := range r.failures {
				if f.Client.Port() != 40001 || f.Server.Port() != 8080 || f.Start != capture.Instant(epoch.UnixNano()) {
					t.Errorf("%+v", f)
				}
				got = append(got, f.Kind+" "+f.By)
			}
			if strings.Join(got, ",") != tt.want || len(r.conns) > 0 {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Times of bytes that came late: seen when their packet passed, readable when the one before them did.
func TestTimes(t *testing.T) {
	ps := hello(
		pkt{ms: 10, side: 'c', flags: "PA", seq: 4, ack: 1, data: "late"},
		pkt{ms: 30, side: 'c', flags: "PA", seq: 1, ack: 1, data: "one"},
		pkt{ms: 20, side: 'c', flags: "PA", seq: 8, ack: 1, data: "clock stepped back"},
	)
	r, _ := readBytes(t, file(newTalk().packets(ps...)...))
	ms := func(n int64) capture.Instant { return capture.Instant(epoch.UnixNano() + n*1e6) }
	want := []capture.Stamp{{Seen: ms(30), At: ms(30), Packet: 5}, {Seen: ms(10), At: ms(30), Packet: 5}, {Seen: ms(20), At: ms(30), Packet: 6}}
	if got := r.conns[0].dir[0].at; !slices.Equal(got, want) {
		t.Errorf("got %v\nwant %v", got, want)
	}
}
