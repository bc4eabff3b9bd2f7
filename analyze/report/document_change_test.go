package report

import (
	"strings"
	"testing"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// analysed returns what was found in the talks.
func analysed(talks ...*capturetest.Talk) *analyze.Analyzer {
	a := analyze.New(analyze.Options{})
	var conns []*capture.Conn
	for _, ex := range capturetest.Exchanges(talks...) {
		conns = append(conns, ex.Conn)
		a.Add(ex, capture.Read(ex))
	}
	a.Report(nil, conns)
	return a
}

// pay is a call on a connection of its own, begun after a while.
func pay(port uint16, after time.Duration, id string) *capturetest.Talk {
	k := capturetest.NewTalk(port)
	k.Start = k.Start.Add(after)
	return k.Ask(capturetest.Post("/mcp", capturetest.Call(id, "tools/call", `{"name":"pay"}`), "Mcp-Session-Id: s", "MCP-Protocol-Version: 2025-11-25"))
}

const result = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"paid"}]}}`

// TestRecommendedChange: it names the side that could have helped, and nothing where the capture does not tell.
func TestRecommendedChange(t *testing.T) {
	answered := func(k *capturetest.Talk) *capturetest.Talk { return k.Answer(capturetest.JSON(result)) }
	broken := pay(1, 0, "1").Answer(capturetest.Stream(), capturetest.Chunk(capturetest.Event(result))).End(capture.Server, capture.RST)
	refused := "HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"
	for name, test := range map[string]struct {
		talks []*capturetest.Talk
		want  string
	}{
		"the client gave up": {[]*capturetest.Talk{pay(1, 0, "1").Wait(1500*time.Millisecond).End(capture.Client, capture.FIN)}, `In the client: it gave up after 1.5 s, before it had the answer. If that was its timeout, raise it, or make "pay" safe`},
		"the client's gateway gave up, the server ended in order": {[]*capturetest.Talk{pay(1, 0, "1").Wait(time.Second).End(capture.Client, capture.FIN).Wait(time.Second).Answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n")}, "In the client: it gave up after 1 s, "},
		"the server cut":                {[]*capturetest.Talk{pay(1, 0, "1").Answer(capturetest.Stream()).End(capture.Server, capture.RST)}, "In the server, or what stands in front of it: find out what ends the streams before the answer."},
		"refused":                       {[]*capturetest.Talk{pay(1, 0, "1").Answer(refused)}, `Between client and server: find out why the server refuses "pay" (status 429).`},
		"refused after it was answered": {[]*capturetest.Talk{broken, pay(2, time.Second, "2").Answer(refused)}, "In the client: keep an answer"},
		"broke after the answer":        {[]*capturetest.Talk{broken}, "In the server, or what stands in front of it: find out what ends the streams after the answer."},
		"the capture ended":             {[]*capturetest.Talk{pay(1, 0, "1")}, "Nothing can be recommended: what became of 1 call is not known."},
		"all well":                      {[]*capturetest.Talk{answered(pay(1, 0, "1"))}, "None: "},
	} {
		w := &writer{a: analysed(test.talks...)}
		w.callers = callersOf(w.a)
		w.play()
		if got := w.change(); !strings.HasPrefix(got.what, test.want) {
			t.Errorf("%s: got %q, want %q", name, got.what, test.want)
		}
	}
}

// TestAskWhoseLog: of a call that is not known to have run the server knows more, of one that ran the client.
func TestAskWhoseLog(t *testing.T) {
	open := analysed(pay(1, 0, "1")).Cases()[0]
	if got := whoKnows(open); !strings.HasPrefix(got, "ask the server's log") {
		t.Error(got)
	}
	begun := analysed(pay(1, 0, "1").Answer(capturetest.Stream(), capturetest.Chunk("data: "+result[:60]))).Cases()[0]
	if got := whoKnows(begun); !strings.HasPrefix(got, "it ran: ask the client's log") {
		t.Error(got)
	}
}
