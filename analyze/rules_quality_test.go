package analyze

import (
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

func init() {
	for _, code := range []string{"reset-from-elsewhere", "tcp-gap", "snaplen-cut", "tls-opaque", "mid-start", "one-direction", "clock-step"} {
		elsewhere[code] = true
	}
}

// TestQualityRules looks at the rules that speak of the capture, not of what passed.
func TestQualityRules(t *testing.T) {
	for _, c := range []struct {
		code  string
		spoil func(ex *capture.Exchange, q *capture.Quality)
	}{
		{"tcp-gap", func(ex *capture.Exchange, q *capture.Quality) { q.TCPGaps, q.GapBytes, ex.Conn.Gaps = 1, 100, 1 }},
		{"snaplen-cut", func(ex *capture.Exchange, q *capture.Quality) { q.SnaplenCutPackets = 3 }},
		{"tls-opaque", func(ex *capture.Exchange, q *capture.Quality) { ex.Conn.TLS = &capture.TLSInfo{Why: "no keys"} }},
		{"mid-start", func(ex *capture.Exchange, q *capture.Quality) { q.MidStartConnections, ex.Conn.MidStart = 1, true }},
		{"one-direction", func(ex *capture.Exchange, q *capture.Quality) { ex.Conn.OneSided = true }},
		{"reset-from-elsewhere", func(ex *capture.Exchange, q *capture.Quality) { ex.Conn.Closings[0].TTL = 51 }},
		{"clock-step", func(ex *capture.Exchange, q *capture.Quality) {
			if ex.Request.Chunks[0].Packet > 4 {
				ex.Start -= capture.Instant(time.Minute)
			}
		}},
	} {
		for _, spoilt := range []bool{true, false} {
			k := answered().Ask(payModern("2")).Wait(time.Second).End(server, rst)
			a := New(Options{})
			var q capture.Quality
			var conn *capture.Conn
			for _, ex := range capturetest.Exchanges(k) {
				if spoilt {
					c.spoil(ex, &q)
				}
				conn = ex.Conn
				a.Add(ex, capture.Read(ex))
			}
			q.Last = conn.Last
			a.Report([]Input{{Quality: q}}, []*capture.Conn{conn})
			f, ok := found(a, c.code)
			if ok != spoilt {
				t.Errorf("%s: spoilt %v, found %v: %s", c.code, spoilt, ok, f.Message)
			}
		}
	}
}

// TestGap takes a finding down one step where bytes of its exchange are missing.
func TestGap(t *testing.T) {
	a := New(Options{})
	for _, ex := range capturetest.Exchanges(call().Answer(sse, event(done("1"))).Wait(time.Second).End(server, rst), again(2*time.Second, "2")) {
		if ex.Conn.ID == 1 {
			ex.Response.Holes = []capture.Span{{Start: 150, End: 160}}
		}
		a.Add(ex, capture.Read(ex))
	}
	a.Report(nil, nil)
	for _, f := range a.Findings {
		if len(f.Cases) > 0 && f.Cases[0].ID == 1 && f.Code != "tcp-gap" && f.Confidence == "high" {
			t.Errorf("%s is said with confidence high although bytes are missing: %s", f.Code, f.Message)
		}
	}
}

// TestPartialWithHoles: where bytes are missing, nothing says that the rest of an answer did not come.
func TestPartialWithHoles(t *testing.T) {
	a := New(Options{})
	for _, ex := range capturetest.Exchanges(call().Answer(sse, chunk("data: "+done("1")[:40])).End(server, fin)) {
		n := ex.Response.Wire.Len()
		ex.Response.Holes = append(ex.Response.Holes, capture.Span{Start: n, End: n})
		a.Add(ex, capture.Read(ex))
	}
	a.Report(nil, nil)
	f, ok := found(a, "partial-answer")
	if !ok || strings.Contains(f.Message, "is lost") || a.Totals.Unknown != 1 {
		t.Errorf("%v %q %+v", ok, f.Message, a.Totals)
	}
}
