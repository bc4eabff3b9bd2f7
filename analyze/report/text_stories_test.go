package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// incident is a server behind something that cuts what is silent for a minute; its client sends each lost call again.
func incident(t *testing.T, calls int) *analyze.Analyzer {
	t.Helper()
	a := analyze.New(analyze.Options{})
	var conns []*capture.Conn
	var talks []*capturetest.Talk
	for i := range calls {
		for j, id := range []string{fmt.Sprint(2 * i), fmt.Sprint(2*i + 1)} {
			k := capturetest.NewTalk(uint16(2*i + j + 1))
			k.Start = k.Start.Add(time.Duration(i)*10*time.Minute + time.Duration(j)*2*time.Minute)
			k.Ask(capturetest.Post("/mcp", capturetest.Call(id, "tools/call", fmt.Sprintf(`{"name":"p\u001bay","arguments":{"n":%d}}`, i)), "Mcp-Session-Id: s", "MCP-Protocol-Version: 2025-11-25"))
			if j == 0 {
				k.Answer(capturetest.Stream()).Wait(time.Minute).End(capture.Server, capture.RST)
			} else {
				k.Answer(capturetest.JSON(capturetest.Text(id, "done")))
			}
			talks = append(talks, k)
		}
	}
	for i, ex := range capturetest.Exchanges(talks...) {
		ex.Conn.Input = i
		conns = append(conns, ex.Conn)
		a.Add(ex, capture.Read(ex))
	}
	a.Report(nil, conns)
	return a
}

func TestTextStories(t *testing.T) {
	var b bytes.Buffer
	if err := textFormat.Write(&b, incident(t, 7), Options{}); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"7 calls in 14 requests: 7 answered, 0 lost", "7 attempts were lost, but all their calls were answered by others", "issued again as #2", "and 2 more", "CUTS\n  idle limit at ",
		"7 of 7 breaks 60.0 ± 0.0 s after the last byte", "LATENCY  "} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in:\n%s", want, text)
		}
	}
	if strings.ContainsRune(text, '\x1b') {
		t.Error("an escape character of the wire reached the terminal")
	}
	if first, _, _ := strings.Cut(text, "\nSTORIES"); strings.Count(first, "\n") > 25 {
		t.Errorf("the first screen has %d lines", strings.Count(first, "\n"))
	}
}

func TestJSONStories(t *testing.T) {
	var b bytes.Buffer
	if err := jsonFormat.Write(&b, incident(t, 3), Options{}); err != nil {
		t.Fatal(err)
	}
	var r struct {
		Exchanges []struct {
			LogicalCall *int                        `json:"logical_call"`
			Execution   struct{ Grade, Why string } `json:"execution"`
		}
		LogicalCalls []struct {
			First, RanAtMost int
			Outcome, Summary string
			Legs             []struct{ Role, Why string }
		} `json:"logical_calls"`
		LogicalTotals struct{ Calls, Answered int } `json:"logical_totals"`
		Cuts          []struct {
			Kind      string
			Typical   int64 `json:"typical_ns"`
			Exchanges []int
		}
		Latency []struct{ Calls, Answered int }
	}
	if err := json.Unmarshal(b.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.LogicalCalls) != 3 || r.LogicalTotals.Calls != 3 || r.LogicalTotals.Answered != 3 {
		t.Fatalf("%+v", r)
	}
	c := r.LogicalCalls[0]
	if c.First != 1 || c.Outcome != "answered" || len(c.Legs) != 2 || c.Legs[1].Role != "re-issue" || c.Legs[1].Why == "" || c.Summary == "" {
		t.Errorf("%+v", c)
	}
	if x := r.Exchanges[0]; x.LogicalCall == nil || *x.LogicalCall != 1 || x.Execution.Grade != "accepted" || x.Execution.Why == "" {
		t.Errorf("%+v", x)
	}
	if len(r.Cuts) != 1 || r.Cuts[0].Kind != "idle limit" || len(r.Cuts[0].Exchanges) != 3 || r.Cuts[0].Typical < int64(59*time.Second) {
		t.Errorf("%+v", r.Cuts)
	}
	if len(r.Latency) != 1 || r.Latency[0].Calls != 6 || r.Latency[0].Answered != 3 {
		t.Errorf("%+v", r.Latency)
	}
}
