package analyze

import (
	"strings"
	"testing"
	"time"

	"mcptrace/replay"
)

// The User-Agents of clients that are modelled. The first returns on the answer, the second reads every response to its
// end, the third issues a lost call of the modern era again.
const (
	onNode = "User-Agent: node"
	gem2   = "User-Agent: ruby-mcp-client/2.1.0"
	gem3   = "User-Agent: ruby-mcp-client/3.0.0"
)

// gemAccept is what the gem's Streamable HTTP transport asks for.
const gemAccept = "Accept: text/event-stream, application/json"

// by makes a request that of another client.
func by(request, agent string) string {
	_, rest, _ := strings.Cut(request, "\r\n")
	head, _, _ := strings.Cut(request, "\r\n")
	lines := strings.Split(rest, "\r\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "Accept:") && strings.Contains(agent, "ruby") {
			lines[i] = gemAccept
		}
	}
	return head + "\r\n" + agent + "\r\n" + strings.Join(lines, "\r\n")
}

// held is initialize, whose stream the server holds open for a time behind the answer; the client goes on when it does.
func held(agent string, goesOn, ends time.Duration) *talk {
	init := ask("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)
	answer := event(`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"s","version":"1"}}}`)
	stream := strings.Replace(sse, "\r\n", "\r\nMcp-Session-Id: s\r\n", 1)
	k := on(1, 0).Ask(by(init, agent)).Answer(stream, answer)
	if goesOn < ends {
		return k.Wait(ends).Answer(last)
	}
	return k.Wait(ends).Answer(last).Wait(goesOn - ends).Ask(by(note("notifications/initialized", "", in("s")...), agent)).Answer(accepted)
}

// noted is the note behind initialize on a connection of its own, some time into the test.
func noted(agent string, at time.Duration) *talk {
	return on(2, at).Ask(by(note("notifications/initialized", "", in("s")...), agent)).Answer(accepted)
}

func TestContrast(t *testing.T) {
	const s, ms = time.Second, time.Millisecond
	lost := func(agent string) *talk {
		return on(1, 0).Ask(by(payModern("1"), agent)).Answer(sse, event(progress)).End(server, rst)
	}
	broken := func(agent string) *talk {
		return on(1, 0).Ask(by(payModern("1"), agent)).Answer(sse, event(done("1"))).End(server, rst)
	}
	other := func(agent string, at time.Duration) *talk {
		return on(3, at).Ask(by(modern("9", "tools/list", "", ""), agent)).Answer(jsonBody(done("9")))
	}
	repeat := func(agent string, at time.Duration) *talk {
		return on(2, at).Ask(by(payModern("2"), agent)).Answer(jsonBody(done("2")))
	}
	for _, c := range []struct {
		name  string
		talks []*talk
		want  string // "": silence
	}{
		{"waited where the model returns", talks(held(onNode, 3*s+10*ms, 3*s)), "typescript-sdk would have returned the answer after 40 µs; the recorded client went on only when the stream had ended, after 3.01 s."},
		{"went on, as the model", talks(held(onNode, 0, 3*s), noted(onNode, 10*ms)), ""},
		{"went on where the model waits", talks(held(gem2, 0, 3*s), noted(gem2, 10*ms)), "ruby-mcp-client-2.1 would have returned the answer after 3 s; the recorded client went on after 10 ms."},
		{"waited, as the model", talks(held(gem2, 3*s+10*ms, 3*s)), ""},
		{"a short hold tells nothing", talks(held(onNode, 310*ms, 300*ms)), ""},
		{"closed on the answer where the model reads on", talks(on(1, 0).Ask(by(payModern("1"), gem3)).Answer(sse, event(done("1"))).Wait(20*ms).End(client, fin)), "ruby-mcp-client-3.0 would have gone on reading; the recorded client closed the stream 20 ms after the answer."},
		{"closed late: perhaps its program ended", talks(on(1, 0).Ask(by(payModern("1"), gem3)).Answer(sse, event(done("1"))).Wait(9*s).End(client, fin)), ""},
		{"issued again where the model has the answer", talks(broken(onNode), repeat(onNode, 20*ms)), "typescript-sdk would have returned the answer after 40 µs; the recorded client issued the call again (#2)."},
		{"issued again, as the model", talks(lost(gem3), repeat(gem3, 20*ms)), ""},
		{"let be where the model issues again", talks(lost(gem3), other(gem3, 30*s)), "ruby-mcp-client-3.0 would have issued the call again; the recorded client did not, and went on with other calls."},
		{"let be, but not seen for long", talks(lost(gem3), other(gem3, 2*s)), ""},
		{"let be, and gone", talks(lost(gem3)), ""},
		{"a client that is not known", talks(broken("User-Agent: curl/8"), repeat("User-Agent: curl/8", 20*ms)), ""},
		{"through a proxy", talks(broken(onNode+"\r\nVia: 1.1 gate"), repeat(onNode+"\r\nVia: 1.1 gate", 20*ms)), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judge(t, Options{Policies: replay.Policies()}, time.Minute, c.talks...)
			if got := contrastOfFirst(a); got != c.want {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// A capture with holes says nothing of what a client did not do, nor when.
func TestContrastWithHoles(t *testing.T) {
	k := on(1, 0).Ask(by(payModern("1"), onNode)).Answer(sse, event(done("1"))).End(server, rst)
	again := on(2, 20*time.Millisecond).Ask(by(payModern("2"), onNode)).Answer(jsonBody(done("2")))
	a := judge(t, Options{Policies: replay.Policies()}, time.Minute, k, again)
	if contrastOfFirst(a) == "" {
		t.Fatal("nothing to be silent about")
	}
	a.Quality.TCPGaps = 1
	if got := contrastOfFirst(a); got != "" {
		t.Errorf("with a gap: %q", got)
	}
}

// contrastOfFirst returns what is said of the first exchange.
func contrastOfFirst(a *Analyzer) string {
	c := a.Cases()[0]
	r, ok := c.Recognise()
	for _, o := range a.Outcomes(c) {
		if ok && o.Policy == r.Policy.Name {
			return a.Contrast(c, o)
		}
	}
	return ""
}
