package analyze

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/source/stdio"
)

// said is what one side of a stdio server wrote, a second after what came before.
type said struct {
	by   capture.Side
	text string
}

// judgeStdio analyses runs of a server, one after the other. Each ends with the process.
func judgeStdio(runs ...[]said) *Analyzer {
	a := New(Options{})
	asm := &stdio.Assembly{Sink: func(ex *capture.Exchange) { a.Add(ex, capture.Read(ex)) }}
	now := capture.Instant(capturetest.Epoch.UnixNano())
	stamp := func() capture.Stamp {
		now += capture.Instant(time.Second)
		return capture.Stamp{Seen: now, At: now}
	}
	for _, run := range runs {
		d := asm.Connection(&capture.Conn{Vantage: capture.Vantage{Kind: "stdio"}})
		var sent [2]int64
		for _, s := range run {
			d.Data(s.by, []byte(s.text), stamp())
			sent[s.by] += int64(len(s.text))
			d.Ack(s.by, sent[s.by], false, stamp())
		}
		d.End(server, fin, stamp())
		d.Close(stamp())
	}
	a.Report([]Input{{Kind: "stdio", Quality: capture.Quality{Last: now}}}, asm.Conns())
	return a
}

func init() {
	for _, code := range []string{"stdio-non-mcp-line", "stdio-partial-line", "stdio-exit-in-flight", "stdio-restart-reissue"} {
		elsewhere[code] = true
	}
}

func TestStdioRules(t *testing.T) {
	line := func(id string) string { return capturetest.Call(id, "tools/call", pay) + "\n" }
	answer := func(id string) string { return done(id) + "\n" }
	good := []said{{client, line("1")}, {server, answer("1")}}
	for _, c := range []struct {
		name string
		runs [][]said
		want string // codes of findings about stdio
	}{
		{"good", [][]said{good}, ""},
		{"log line", [][]said{{{client, line("1")}, {server, "listening\n"}, {server, answer("1")}}}, "stdio-non-mcp-line"},
		{"answer without newline", [][]said{{{client, line("1")}, {server, done("1")}}}, "stdio-exit-in-flight stdio-partial-line"},
		{"request without newline", [][]said{{{client, line("1")[:60]}}}, "stdio-partial-line"},
		{"ended in flight", [][]said{{{client, line("1")}}}, "stdio-exit-in-flight"},
		{"issued again", [][]said{{{client, line("1")}}, {{client, line("2")}, {server, answer("2")}}}, "stdio-exit-in-flight stdio-restart-reissue"},
		{"asked again", [][]said{good, {{client, line("2")}, {server, answer("2")}}}, ""},
	} {
		a := judgeStdio(c.runs...)
		var got []string
		for _, code := range codes(a) {
			if strings.HasPrefix(code, "stdio") {
				got = append(got, code)
			}
		}
		if g := strings.Join(got, " "); g != c.want {
			t.Errorf("%s: %q, want %q", c.name, g, c.want)
		}
	}
}

// TestStdioPartialAnswers: an answer that broke off, or that is nested too deep, is no whole one.
func TestStdioPartialAnswers(t *testing.T) {
	ask := capturetest.Call("1", "tools/call", pay) + "\n"
	whole := done("1")
	deep := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"content":%s%s}}`, strings.Repeat("[", 1200), strings.Repeat("]", 1200)) + "\n"
	for name, answer := range map[string]string{"broken off": whole[:len(whole)-5], "nested too deep": deep} {
		a := judgeStdio([]said{{client, ask}, {server, answer}})
		if c := a.cases[0]; c.dispatched() || c.Fate() == "delivered" {
			t.Errorf("%s: %s, %s", name, c.Answer().Level, c.Fate())
		}
	}
}
