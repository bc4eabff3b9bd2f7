package serve_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptrace/capture/capturetest"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

func TestEqualCallsInRecordedOrder(t *testing.T) {
	answer := func(id, text string) string { return capturetest.JSON(capturetest.Text(id, text)) }
	k := capturetest.NewTalk(1).Ask(pay("1")).Answer(answer("1", "first")).Ask(pay("2")).Answer(answer("2", "second"))
	rec := recordingOf(k)
	for _, c := range []struct{ ids, want []string }{
		{[]string{"8", "9", "10"}, []string{"first", "second", "first"}},
		{[]string{"2", "3"}, []string{"second", "first"}},
	} {
		s := start(t, rec, serve.Options{Speed: serve.Max})
		l := dial(t, s)
		for i, id := range c.ids {
			if got, want := l.ask(pay(id)).get(len(answer(id, c.want[i]))), answer(id, c.want[i]); got != want {
				t.Errorf("id %s: got %q, want %q", id, got, want)
			}
		}
		s.Close()
	}
}

func TestNotRecorded(t *testing.T) {
	s := start(t, recordingOf(payTalk(1, "7", clean)), serve.Options{})
	r, err := http.Post(s.URL(), "application/json", strings.NewReader(capturetest.Call(`"x"`, "tools/call", `{"name":"pay","arguments":{"amount":6}}`)))
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	for _, want := range []string{`"id":"x"`, `"error"`, "not with these parameters", `"exchanges":[1]`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("got %s, want %s in it", body, want)
		}
	}
	if p := s.Plays()[0]; p.Number != 0 || p.Verdict != serve.Unrecorded || p.Where != "not-recorded" || p.Body != int64(len(body)) {
		t.Errorf("got %+v", p)
	}
}

func TestSessions(t *testing.T) {
	init := func(id string) string {
		return capturetest.Post("/mcp", capturetest.Call(id, "initialize", `{"clientInfo":{"name":"a"}}`))
	}
	answer := func(session string) string {
		return capturetest.JSON(capturetest.Result("1", `{"protocolVersion":"2025-06-18"}`), "Mcp-Session-Id: "+session)
	}
	with := func(session string) string {
		return capturetest.Post("/mcp", capturetest.Call("2", "tools/list", ""), "Mcp-Session-Id: "+session)
	}
	k := capturetest.NewTalk(1).Ask(init("1")).Answer(answer("abcd-1234")).Ask(with("abcd-1234")).Answer(capturetest.JSON(capturetest.Result("2", `{"tools":[]}`)))
	s := start(t, recordingOf(k), serve.Options{Speed: serve.Max})
	seen := map[string]bool{}
	for i := range 3 {
		c := dial(t, s).ask(init("1"))
		head := c.until("\r\n\r\n")
		c.until("}}")
		_, rest, _ := strings.Cut(head, "Mcp-Session-Id: ")
		id, _, _ := strings.Cut(rest, "\r\n")
		if len(id) != 9 || seen[id] || i == 0 && id != "abcd-1234" {
			t.Errorf("client %d got session %q", i, id)
		}
		seen[id] = true
		if got := c.ask(with(id)).until("}}"); !strings.Contains(got, `"tools":[]`) {
			t.Errorf("client %d: got %q", i, got)
		}
	}
}

// TestOldTransport serves HTTP+SSE of 2024-11-05: the answers come on the GET stream, when the live client has asked, in
// whatever order and however often.
func TestOldTransport(t *testing.T) {
	ev := func(data string) string { return capturetest.Chunk(capturetest.Event(data)) }
	get := capturetest.NewTalk(1).Ask(capturetest.Get("/sse")).Answer(capturetest.Stream(), capturetest.Chunk("event: endpoint\ndata: /message?sessionId=abcdef0123\n\n")).
		Wait(100 * time.Millisecond).Answer(ev(capturetest.Text("1", "one"))).Wait(50 * time.Millisecond).Answer(ev(capturetest.Text("2", "two"))).Wait(time.Second)
	post := capturetest.NewTalk(2)
	ask := func(session, id, tool string) string {
		return capturetest.Post("/message?sessionId="+session, capturetest.Call(id, "tools/call", `{"name":"`+tool+`"}`))
	}
	post.Start = capturetest.Epoch.Add(50 * time.Millisecond)
	post.Ask(ask("abcdef0123", "1", "a")).Answer(capturetest.Accepted()).Wait(60 * time.Millisecond).Ask(ask("abcdef0123", "2", "b")).Answer(capturetest.Accepted())
	s := start(t, recordingOf(get, post), serve.Options{})
	for i, order := range []string{"ab", "ba", "aab", "bbaa"} {
		c := dial(t, s).ask(capturetest.Get("/sse"))
		text := c.until("\n\n\r\n")
		_, rest, _ := strings.Cut(text, "sessionId=")
		session, _, _ := strings.Cut(rest, "\n")
		if i == 0 && session != "abcdef0123" || i > 0 && (session == "abcdef0123" || len(session) != 10) {
			t.Errorf("client %d got session %q", i, session)
		}
		p := dial(t, s)
		for j, tool := range order {
			id := fmt.Sprintf(`"live-%d"`, j)
			if got := p.ask(ask(session, id, string(tool))).get(len(capturetest.Accepted())); got != capturetest.Accepted() {
				t.Fatalf("got %q", got)
			}
			said := map[rune]string{'a': "one", 'b': "two"}[tool]
			if got := c.until("\n\n\r\n"); !strings.Contains(got, capturetest.Text(id, said)) {
				t.Errorf("order %s, call %d: got %q, want %s", order, j, got, capturetest.Text(id, said))
			}
		}
		p.ask(capturetest.Post("/message?sessionId="+session, capturetest.Call("77", "nothing/recorded", ""))).get(len(capturetest.Accepted()))
		if got := c.until("\n\n\r\n"); !strings.Contains(got, `"id":77,"error"`) {
			t.Errorf("not recorded: got %q", got)
		}
		p.Close()
		c.Close()
	}
	s.Close()
	for _, p := range s.Plays() {
		if p.ID != "" && p.Number > 0 && p.Answer < 0 {
			t.Errorf("%s (id %s) was answered, and is not noted: %+v", p.Request, p.ID, p)
		}
	}
}

func TestResumption(t *testing.T) {
	event := func(id, data string) string { return capturetest.Chunk("id: " + id + "\ndata: " + data + "\n\n") }
	k := capturetest.NewTalk(1).Ask(pay("7")).Answer(capturetest.Stream(), event("e1", capturetest.Note("notifications/message", "{}"))).
		Wait(40*time.Millisecond).Answer(event("e2", capturetest.Text("7", "paid")), capturetest.LastChunk)
	cut := serve.Cut{At: serve.BeforeAnswer, End: serve.RST}
	s := start(t, recordingOf(k), serve.Options{Cuts: []serve.Cut{cut}})
	if got, how := dial(t, s).ask(pay("9")).rest(); how != "rst" || strings.Contains(got, "paid") {
		t.Fatalf("got %q, %s", got, how)
	}
	got := dial(t, s).ask(capturetest.Get("/mcp", "Last-Event-ID: e1")).until(capturetest.LastChunk)
	if !strings.Contains(got, "id: e2\ndata: "+capturetest.Text("9", "paid")) || strings.Contains(got, "e1") {
		t.Errorf("got %q", got)
	}
	s.Close()
	if p := call(t, s.Plays(), 0); p.Verdict != replay.Resumed {
		t.Errorf("got verdict %s: %s", p.Verdict, p.Did)
	}
	if got := s.Plays()[1]; got.Number != 1 {
		t.Errorf("the resumed stream is of exchange %d", got.Number)
	}
}
