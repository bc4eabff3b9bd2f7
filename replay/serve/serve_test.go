package serve_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

func TestSameBytes(t *testing.T) {
	s := start(t, recordingOf(payTalk(1, "7", clean)), serve.Options{})
	begun := time.Now()
	if got := dial(t, s).ask(pay("7")).get(len(payWire("7"))); got != payWire("7") {
		t.Errorf("got %q, want %q", got, payWire("7"))
	}
	if d := time.Since(begun); d < 60*time.Millisecond {
		t.Errorf("the recorded pauses add up to 60 ms; it took %v", d)
	}
}

func TestLiveID(t *testing.T) {
	for _, id := range []string{"8", "1234567", `"abc"`, `"q\"u"`} {
		s := start(t, recordingOf(payTalk(1, "70", clean)), serve.Options{Speed: serve.Max})
		if got := dial(t, s).ask(pay(id)).get(len(payWire(id))); got != payWire(id) {
			t.Errorf("id %s: got %q, want %q", id, got, payWire(id))
		}
	}
}

func TestIDAcrossChunks(t *testing.T) {
	event := capturetest.Event(capturetest.Text("4567", "paid"))
	for cut := 1; cut < len(event); cut++ {
		k := capturetest.NewTalk(1).Ask(pay("4567")).Answer(capturetest.Stream()).
			Answer(capturetest.Chunk(event[:cut])).Answer(capturetest.Chunk(event[cut:]) + capturetest.LastChunk)
		for _, id := range []string{"4567", "9", `"a-long-one"`} {
			s := start(t, recordingOf(k), serve.Options{Speed: serve.Max})
			r, err := http.Post(s.URL(), "application/json", strings.NewReader(capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"amount":5}}`)))
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(r.Body)
			r.Body.Close()
			s.Close()
			if want := capturetest.Event(capturetest.Text(id, "paid")); err != nil || strings.ReplaceAll(string(body), `"id": `, `"id":`) != want && strings.Join(strings.Fields(string(body)), "") != strings.Join(strings.Fields(want), "") {
				t.Fatalf("cut %d, id %s: got %q (%v), want %q", cut, id, body, err, want)
			}
		}
	}
}

// TestGzip: the id is replaced in a compressed stream, and each event can be read as soon as it could when recorded.
func TestGzip(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	k := capturetest.NewTalk(1).Ask(pay("7")).Answer(capturetest.Stream("Content-Encoding: gzip"))
	events := []string{capturetest.Event(capturetest.Note("notifications/message", "{}")), capturetest.Event(capturetest.Text("7", "paid"))}
	for _, e := range events {
		io.WriteString(z, e)
		z.Flush()
		k.Answer(capturetest.Chunk(packed.String())).Wait(10 * time.Millisecond)
		packed.Reset()
	}
	rec := recordingOf(k.End(capture.Client, capture.FIN))
	for _, id := range []string{"7", `"another one"`} {
		s := start(t, rec, serve.Options{})
		q, _ := http.NewRequest("POST", s.URL(), strings.NewReader(capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"amount":5}}`)))
		q.Header.Set("Accept-Encoding", "gzip")
		r, err := http.DefaultClient.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		u, err := gzip.NewReader(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		want := events[0] + capturetest.Event(capturetest.Text(id, "paid"))
		got := make([]byte, len(want))
		if _, err := io.ReadFull(u, got); err != nil || string(got) != want {
			t.Errorf("id %s: got %q (%v), want %q", id, got, err, want)
		}
		r.Body.Close()
		s.Close()
	}
}

func TestEndings(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*capturetest.Talk)
		want string
	}{
		{"fin", func(k *capturetest.Talk) { k.End(capture.Server, capture.FIN) }, "fin"},
		{"rst", func(k *capturetest.Talk) { k.End(capture.Server, capture.RST) }, "rst"},
	} {
		s := start(t, recordingOf(payTalk(1, "7", c.end)), serve.Options{})
		got, how := dial(t, s).ask(pay("7")).rest()
		if want := strings.TrimSuffix(payWire("7"), capturetest.LastChunk); got != want || how != c.want {
			t.Errorf("%s: got %q ended by %s, want %q ended by %s", c.name, got, how, want, c.want)
		}
	}
	s := start(t, recordingOf(payTalk(1, "7", func(k *capturetest.Talk) { k.End(capture.Client, capture.FIN) })), serve.Options{Speed: serve.Max})
	c := dial(t, s).ask(pay("7"))
	c.get(len(payWire("7")) - len(capturetest.LastChunk))
	if !c.silent() {
		t.Error("the recorded client left: the stream is to stay open")
	}
}

func TestCutAtEveryByte(t *testing.T) {
	body := capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`)) + capturetest.Event(capturetest.Text("7", "paid"))
	rec := recordingOf(payTalk(1, "7", clean))
	for n := range len(body) + 1 {
		for _, end := range []serve.End{serve.FIN, serve.RST} {
			s := start(t, rec, serve.Options{Speed: serve.Max, Cuts: []serve.Cut{{Exchange: 1, At: serve.AtByte(int64(n)), End: end}}})
			raw, how := dial(t, s).ask(pay("7")).rest()
			if how != end.String() {
				t.Errorf("cut %d: ended by %s, want %s", n, how, end)
			}
			got := ""
			for rest := strings.TrimPrefix(raw, capturetest.Stream()); rest != ""; {
				var size int
				fmt.Sscanf(rest, "%x", &size)
				_, rest, _ = strings.Cut(rest, "\r\n")
				got += rest[:min(size, len(rest))]
				rest = strings.TrimPrefix(rest[min(size, len(rest)):], "\r\n")
			}
			if got != body[:n] {
				t.Errorf("cut %d: got %q, want %q", n, got, body[:n])
			}
			s.Close()
		}
	}
}

func TestPlaces(t *testing.T) {
	note := capturetest.Event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`))
	answer := capturetest.Event(capturetest.Text("7", "paid"))
	rec := recordingOf(payTalk(1, "7", clean))
	for _, c := range []struct {
		place string
		want  int
		where string
	}{
		{"after-answer", len(note + answer), "after-answer"}, {"before-answer", len(note), "between-events"}, {"event:0", 0, "before-events"},
		{"event:1", len(note), "between-events"}, {"event:2", len(note + answer), "after-answer"}, {"3", 3, "in-event"}, {"130", 130, "in-answer"},
	} {
		at, err := serve.ParsePlace(c.place)
		if err != nil {
			t.Fatal(err)
		}
		s := start(t, rec, serve.Options{Speed: serve.Max, Cuts: []serve.Cut{{At: at, End: serve.RST}}})
		dial(t, s).ask(pay("7")).rest()
		s.Close()
		if p := call(t, s.Plays(), 0); p.Body != int64(c.want) || p.Where != c.where || !p.Cut {
			t.Errorf("%s: cut after %d bytes, %s; want %d, %s", c.place, p.Body, p.Where, c.want, c.where)
		}
	}
}

func TestParse(t *testing.T) {
	for _, s := range []string{"-1", "x", "event:", "event:x", "after"} {
		if _, err := serve.ParsePlace(s); err == nil {
			t.Errorf("place %q was taken", s)
		}
	}
	for _, s := range []string{"", "reset", "hold:", "hold:-1s", "fin:1s"} {
		if _, err := serve.ParseEnd(s); err == nil {
			t.Errorf("ending %q was taken", s)
		}
	}
	if e, err := serve.ParseEnd("stall:2s"); err != nil || e.String() != "hold:2s" {
		t.Errorf("got %v, %v", e, err)
	}
}

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
	if p := s.Plays()[0]; p.Number != 0 || p.Verdict != replay.Failed {
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

func TestExpectContinue(t *testing.T) {
	s := start(t, recordingOf(payTalk(1, "7", clean)), serve.Options{Speed: serve.Max})
	head, body, _ := strings.Cut(capturetest.Post("/mcp", capturetest.Call("7", "tools/call", `{"name":"pay","arguments":{"amount":5}}`), "Expect: 100-continue"), "\r\n\r\n")
	c := dial(t, s).ask(head + "\r\n\r\n")
	if got := c.until("\r\n\r\n"); got != "HTTP/1.1 100 Continue\r\n\r\n" {
		t.Errorf("got %q", got)
	}
	if got := c.ask(body).get(len(payWire("7"))); got != payWire("7") {
		t.Errorf("got %q", got)
	}
}

func TestVerdicts(t *testing.T) {
	rec := recordingOf(payTalk(1, "7", clean))
	for _, c := range []struct {
		name   string
		cut    serve.Cut
		client func(t *testing.T, s *serve.Server)
		want   replay.Verdict
	}{
		{"early", serve.Cut{At: serve.AfterAnswer, End: serve.Hold}, func(t *testing.T, s *serve.Server) {
			l := dial(t, s).ask(pay("7"))
			l.until("paid")
			l.until("\n\n")
			l.Close()
		}, replay.Settled},
		{"again", serve.Cut{At: serve.AfterAnswer, End: serve.RST}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
			dial(t, s).ask(pay("8")).get(len(payWire("8")))
		}, replay.Duplicated},
		{"again after loss", serve.Cut{At: serve.BeforeAnswer, End: serve.RST}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
			dial(t, s).ask(pay("8")).get(len(payWire("8")))
		}, replay.Reissued},
		{"failed", serve.Cut{At: serve.BeforeAnswer, End: serve.FIN}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
		}, replay.Failed},
		{"gave up", serve.Cut{At: serve.BeforeAnswer, End: serve.Hold}, func(t *testing.T, s *serve.Server) {
			l := dial(t, s).ask(pay("7"))
			l.until("\n\n")
			l.silent()
			l.Close()
		}, replay.Hung},
		{"went on", serve.Cut{At: serve.AfterAnswer, End: serve.FIN}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
			dial(t, s).ask(capturetest.Post("/mcp", capturetest.Call("8", "tools/list", ""))).until("}}")
		}, replay.Salvaged},
		{"whole", serve.Cut{Exchange: 99}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).get(len(payWire("7")))
		}, replay.Settled},
	} {
		seen := make(chan struct{}, 10)
		s := start(t, rec, serve.Options{Speed: serve.Max, Cuts: []serve.Cut{c.cut}, Done: func(serve.Play) { seen <- struct{}{} }})
		c.client(t, s)
		<-seen
		s.Close()
		if p := call(t, s.Plays(), 0); p.Verdict != c.want {
			t.Errorf("%s: got %s (%s), want %s", c.name, p.Verdict, p.Did, c.want)
		}
	}
	s := start(t, rec, serve.Options{Speed: serve.Max, Cuts: []serve.Cut{{At: serve.AfterAnswer, End: serve.FIN}}})
	dial(t, s).ask(pay("7")).rest()
	s.Close()
	for ok, want := range map[bool]replay.Verdict{true: replay.Salvaged, false: replay.Dropped} {
		if p := call(t, s.Outcome(ok), 0); p.Verdict != want {
			t.Errorf("client reports %v: got %s, want %s", ok, p.Verdict, want)
		}
	}
}

func TestNothing(t *testing.T) {
	if _, err := serve.Start(&serve.Recording{}, serve.Options{}); err != serve.ErrNothing {
		t.Errorf("got %v", err)
	}
}
