package replay_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// The recorded outcomes of real Ruby clients, where they stand beside the project: what each did on scripted answers.
type oracleScenario struct {
	Name    string
	Request struct{ Method string }
	Timeout int `json:"timeout_ms"`
	Answer  oracleAnswer
	Session string

	Retries, OAuth json.RawMessage
	MaxMessage     json.RawMessage `json:"max_message_bytes"`
	Inflated       json.RawMessage `json:"max_inflated"`
}

type oracleAnswer struct {
	Status     int
	Reason     *string
	Headers    [][2]string
	Framing    string
	End        string
	EndDelay   *int  `json:"end_delay_ms"`
	FinalChunk *bool `json:"final_chunk"`
	Chunks     []struct {
		Delay int    `json:"delay_ms"`
		Bytes string `json:"bytes_base64"`
	}
}

// head returns the head that the scripted server writes in front of total body bytes.
func (a *oracleAnswer) head(total int) string {
	status, reason := a.Status, "X"
	if status == 0 {
		status = 200
	}
	if a.Reason != nil {
		reason = *a.Reason
	}
	text := fmt.Sprintf("HTTP/1.1 %d %s\r\n", status, reason)
	for _, h := range a.Headers {
		text += h[0] + ": " + h[1] + "\r\n"
	}
	switch length, ok := strings.CutPrefix(a.Framing, "length"); {
	case a.Framing == "chunked" || a.Framing == "":
		text += "Transfer-Encoding: chunked\r\n"
	case ok && length != "":
		text += "Content-Length: " + length[1:] + "\r\n"
	case ok:
		text += fmt.Sprintf("Content-Length: %d\r\n", total)
	}
	return text + "Connection: close\r\n\r\n"
}

type oracleOutcome struct {
	Result  json.RawMessage
	Error   *struct{ Class, Message, Cause string }
	Targets int      `json:"target_requests"`
	IDs     []any    `json:"target_ids"`
	Wire    []string `json:"wire"`
	Elapsed *float64 `json:"elapsed_ms"`
}

var oracleClients = map[string]string{
	"rmc21-streamable": "ruby-mcp-client-2.1", "rmc30-streamable": "ruby-mcp-client-3.0", "sdk13": "ruby-sdk-1.3", "sdk13-pr": "ruby-sdk-early-initialize",
}

func readOracle(t *testing.T, name string, v any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(beside(), "oracle", name))
	if err != nil {
		t.Skip("the recorded outcomes are not there")
	}
	if err := json.Unmarshal(text, v); err != nil {
		t.Fatal(err)
	}
}

func TestRubyClients(t *testing.T) {
	var all []oracleScenario
	readOracle(t, "scenarios.json", &all)
	var recorded struct {
		Scenarios []struct {
			Name     string
			Outcomes map[string]oracleOutcome
		}
	}
	readOracle(t, "outcomes.json", &recorded)
	did := map[string]map[string]oracleOutcome{}
	for _, s := range recorded.Scenarios {
		did[s.Name] = s.Outcomes
	}
	played := 0
	for _, s := range all {
		if s.Retries != nil || s.MaxMessage != nil || s.Inflated != nil || s.OAuth != nil || s.Request.Method == "server/discover" {
			continue
		}
		for client, policy := range oracleClients {
			o := did[s.Name][client]
			want := oracleWords(o)
			if want == nil || o.Elapsed == nil {
				continue
			}
			played++
			got := s.play(t, policy, slices.Contains(o.Wire, "server/discover"))
			if !slices.Contains(want, got.Verdict) {
				t.Errorf("%s, %s: %s (%s); want one of %v", s.Name, policy, got.Verdict, got.Why, want)
			}
		}
	}
	if played < 600 {
		t.Errorf("%d outcomes were played", played)
	}
}

// oracleWords returns the verdicts that fit what a client did; nil: it is told by more than this exchange.
func oracleWords(o oracleOutcome) []replay.Verdict {
	ids := map[string]bool{}
	for _, id := range o.IDs {
		ids[fmt.Sprint(id)] = true
	}
	switch {
	case slices.Contains(o.Wire, "GET"):
		return []replay.Verdict{replay.Resumed}
	case o.Targets > 1 && len(ids) == 1:
		return nil // the session was opened anew
	case o.Targets > 1:
		return []replay.Verdict{replay.Reissued, replay.Duplicated}
	case o.Error == nil && len(o.Result) > 0 && string(o.Result) == "null", o.Error == nil && o.Result == nil:
		return nil // nothing was returned
	case o.Error == nil:
		return []replay.Verdict{replay.Settled, replay.Salvaged, replay.Guessed}
	case strings.Contains(o.Error.Message, "card declined") || strings.Contains(o.Error.Message, "nsupported") || strings.Contains(o.Error.Message, "HTTP"):
		return []replay.Verdict{replay.Settled, replay.Salvaged, replay.Guessed, replay.Failed, replay.Dropped}
	}
	return []replay.Verdict{replay.Failed, replay.Dropped, replay.Hung}
}

func (s *oracleScenario) play(t *testing.T, policy string, modern bool) replay.Outcome {
	t.Helper()
	id := "2"
	if s.Request.Method == "initialize" {
		id = "1"
	}
	parts, how, end := s.parts(t, id)
	e := madeCall(s.Request.Method, id, modern, how, end, parts...)
	if s.Session != "" || !modern && s.Request.Method != "initialize" {
		e.ex.Request.Head.Fields = append(e.ex.Request.Head.Fields, field("Mcp-Session-Id", "sess"))
	}
	ps, err := replay.Find([]string{policy})
	if err != nil {
		t.Fatal(err)
	}
	return replay.Run(e.ex, e.rd, ps[0], e.last, replay.Options{Timeout: time.Duration(s.Timeout) * ms})
}

// parts returns what the scripted server wrote and when, and how and when it ended.
func (s *oracleScenario) parts(t *testing.T, id string) (out []part, how capture.How, end time.Duration) {
	t.Helper()
	a := &s.Answer
	var bodies [][]byte
	total := 0
	for _, c := range a.Chunks {
		b, err := base64.StdEncoding.DecodeString(c.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		b = []byte(strings.ReplaceAll(string(b), "@@ID@@", id))
		bodies = append(bodies, b)
		total += len(b)
	}
	at := ms / 10
	if a.Framing != "raw" {
		out = append(out, part{at, a.head(total)})
	}
	chunked := a.Framing == "chunked" || a.Framing == ""
	for i, b := range bodies {
		at += time.Duration(a.Chunks[i].Delay)*ms + time.Microsecond
		switch {
		case len(b) == 0:
		case chunked:
			out = append(out, part{at, fmt.Sprintf("%x\r\n%s\r\n", len(b), b)})
		default:
			out = append(out, part{at, string(b)})
		}
	}
	final := a.End == "fin" || a.End == ""
	if a.FinalChunk != nil {
		final = *a.FinalChunk
	}
	if chunked && final {
		at += time.Microsecond
		out = append(out, part{at, "0\r\n\r\n"})
	}
	kind, hold, held := strings.Cut(a.End, ":")
	if held {
		n := 0
		fmt.Sscan(hold, &n)
		at += time.Duration(n) * ms
		if chunked && kind == "hold" {
			out = append(out, part{at, "0\r\n\r\n"})
		}
	}
	how = capture.FIN
	if kind == "rst" || kind == "hold-rst" {
		how, at = capture.RST, at+30*ms
	}
	if a.EndDelay != nil {
		at += time.Duration(*a.EndDelay) * ms
	}
	return out, how, at + ms/5
}
