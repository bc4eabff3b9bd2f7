package replay_test

import (
	"strings"
	"time"

	"fmt"
	"mcptrace/capture"
	"testing"

	"mcptrace/replay"
)

var ways = []replay.How{replay.FIN, replay.RST, replay.Stall}

// A sweep says at every byte what cutting there says.
func TestSweepEqualsCut(t *testing.T) {
	for _, path := range captures(t) {
		for i, e := range readCapture(t, path) {
			if n := e.ex.Response.BodyLen(); n > 700 || e.ex.Response.Head == nil || len(e.rd.Calls) == 0 {
				continue
			}
			for _, how := range ways {
				for _, s := range replay.SweepAll(e.ex, e.rd, how, replay.Policies(), replay.Options{}) {
					compareSweep(t, fmt.Sprintf("%s %d %s %s", e.name, i+1, s.Policy.Name, how), e, s)
				}
			}
		}
	}
}

func compareSweep(t *testing.T, name string, e exchange, s replay.Swept) {
	t.Helper()
	next := int64(0)
	for _, r := range s.Ranges {
		if r.From != next {
			t.Errorf("%s: a range from %d, want from %d", name, r.From, next)
		}
		next = r.To + 1
		for n := r.From; n <= r.To; n++ {
			if want := replay.RunCut(e.ex, n, s.How, s.Policy, replay.Options{}); want != r.Outcome {
				t.Errorf("%s, cut at %d:\n got %+v\nwant %+v", name, n, r.Outcome, want)
				return
			}
		}
	}
	if next != s.Total+1 {
		t.Errorf("%s: ends before %d, want %d", name, next, s.Total+1)
	}
}

// Bodies in which what stands in an event changes its meaning more than once before anything dispatches it.
func TestSweepOddBodies(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"a \"b\\ }"}]}}`
	bodies := map[string]string{
		"answer":            "data: " + answer + "\n\n",
		"id last":           `data: {"jsonrpc":"2.0","result":{"a":[1,{"b":2}]},"id":1}` + "\n\n",
		"method late":       `data: {"jsonrpc":"2.0","id":1,"result":{},"method":"x"}` + "\n\n",
		"both":              `data: {"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}}` + "\n\n",
		"long id":           `data: {"jsonrpc":"2.0","id":12,"result":{}}` + "\n\n" + `data: {"jsonrpc":"2.0","id":1,"result":{}}` + "\n\n",
		"broken inside":     `data: {"jsonrpc":"2.0","id":1,"result":{"a":tru,"b":[}]}}` + "\n\n",
		"escaped key":       `data: {"jsonrpc":"2.0","id":1,"re\u0073ult":{}}` + "\n\n",
		"lines":             "event: message\ndata: {\"jsonrpc\":\"2.0\",\ndata: \"id\":1,\ndata: \"result\":{}}\n\n",
		"cr":                "data: " + answer + "\r\rdata: x\r\r",
		"crlf":              "data: " + answer + "\r\n\r\n: x\r\n\r\n",
		"mixed":             "id: 7\n\rdata: " + answer + "\r\n\r",
		"bom":               "\xEF\xBB\xBFdata: " + answer + "\n\n",
		"bom inside":        ": x\n\n\xEF\xBB\xBFdata: " + answer + "\n\ndata: " + answer + "\n\n",
		"bom twice":         "\xEF\xBB\xBF\xEF\xBB\xBFdata: " + answer,
		"bom, broken":       "\xEF\xBB\xBFdata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"content\":[{\"type\"99",
		"no colon":          "data\n\nhello\n\ndata: " + answer + "\n\n",
		"stale":             `data: {"jsonrpc":"2.0","id":9,"result":{}}` + "\n\n" + "data: " + answer + "\n\n",
		"twice":             "data: " + answer + "\n\n" + "data: " + answer + "\n\n",
		"notifications":     `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1}}` + "\n\n: k\n\n" + "data: " + answer + "\n\n",
		"id null":           `data: {"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"m"}}` + "\n\n",
		"batch":             "data: [" + answer + "]\n\n",
		"tail":              "data: " + answer + "\n\ndata: {\"jsonrpc\"",
		"braces in a field": "id: {\"\nevent: \"}\ndata: " + answer + "\n\n",
	}
	for name, body := range bodies {
		for _, size := range []int{1 << 20, 7} {
			wire := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(body, size)
			cut := len(wire) / 2
			sweepMade(t, name, made("1", capture.FIN, part{ms, wire[:cut]}, part{5 * ms, wire[cut:]}))
		}
		sweepMade(t, name+" by close", made("1", capture.FIN, part{ms, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"}, part{3 * ms, body}))
	}
	for name, body := range map[string]string{"json": answer, "json batch": "[" + answer + "]", "html": "<html>", "json and more": answer + "\n\n", "other": `{"a":1}`} {
		for _, framing := range []string{"", "Content-Length: " + itoa(len(body)) + "\r\n", "Content-Length: " + itoa(len(body)+9) + "\r\n"} {
			wire := "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n" + framing + "\r\n" + body
			sweepMade(t, name+" "+framing, made("1", capture.FIN, part{ms, wire[:len(wire)-20]}, part{4 * ms, wire[len(wire)-20:]}))
		}
	}
}

func sweepMade(t *testing.T, name string, e exchange) {
	t.Helper()
	for _, how := range ways {
		for _, s := range replay.SweepAll(e.ex, e.rd, how, replay.Policies(), replay.Options{}) {
			compareSweep(t, fmt.Sprintf("%s %s %s", name, s.Policy.Name, how), e, s)
		}
	}
}

// The outcomes of a sweep do not go back: once an answer is delivered, it stays so.
func TestSweepNeverGoesBack(t *testing.T) {
	before := map[replay.Verdict]bool{replay.Reissued: true, replay.Failed: true, replay.Hung: true, replay.Resumed: true, replay.Guessed: true}
	for _, path := range captures(t) {
		for _, e := range readCapture(t, path) {
			if e.ex.Response.BodyLen() > 3000 || e.ex.Response.Head == nil || len(e.rd.Calls) == 0 {
				continue
			}
			for _, how := range ways {
				delivered := false
				for _, r := range replay.Sweep(e.ex, e.rd, how, replay.Generic()[0], replay.Options{}).Ranges {
					if before[r.Outcome.Verdict] && delivered {
						t.Errorf("%s: %s at %d, behind a delivered answer", e.name, r.Outcome.Verdict, r.From)
					}
					delivered = delivered || r.Outcome.Verdict == replay.Settled
				}
			}
		}
	}
}

func BenchmarkSweep(b *testing.B) {
	event := `data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":1,"message":"` + strings.Repeat("x", 80) + `"}}` + "\n\n"
	answer := `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("y", 2000) + `"}]}}` + "\n\n"
	for _, size := range []int{10 << 10, 100 << 10, 1 << 20, 10 << 20} {
		body := strings.Repeat(event, (size-len(answer))/len(event)) + answer
		parts := []part{{ms, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"}}
		for i := 0; i < len(body); i += 1400 {
			parts = append(parts, part{time.Duration(i/1400+2) * ms, body[i:min(i+1400, len(body))]})
		}
		e := made("1", capture.FIN, parts...)
		b.Run(fmt.Sprint(size>>10, "kB"), func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				replay.Sweep(e.ex, e.rd, replay.RST, replay.Generic()[0], replay.Options{})
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(body)), "ns/byte")
		})
	}
	big := `data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"` + strings.Repeat("y", 10<<20) + `"}]}}` + "\n\n"
	e := made("1", capture.FIN, part{ms, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" + big})
	b.Run("one event of 10 MB", func(b *testing.B) {
		b.SetBytes(int64(len(big)))
		for b.Loop() {
			replay.Sweep(e.ex, e.rd, replay.RST, replay.Generic()[0], replay.Options{})
		}
	})
}
