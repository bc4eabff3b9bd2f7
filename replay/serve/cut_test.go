package serve_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"mcptrace/capture/capturetest"
	"mcptrace/replay/serve"
)

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

// TestCutThatFitsNothing: a test of a client whose cut is never made would pass for nothing.
func TestCutThatFitsNothing(t *testing.T) {
	rec := recordingOf(payTalk(1, "7", clean))
	for _, c := range []struct {
		cut  serve.Cut
		want string
	}{
		{serve.Cut{Exchange: 2, At: serve.AfterAnswer}, "no such place to cut at: there is no exchange 2"},
		{serve.Cut{Exchange: 1, At: serve.AfterEvent(3)}, "exchange 1: no such place to cut at: event:3 (body bytes: 210, events: 2)"},
		{serve.Cut{At: serve.AtByte(211)}, "no such place to cut at: 211 (the longest body has 210 bytes; most events: 2)"},
	} {
		if s, err := serve.Start(rec, serve.Options{Cuts: []serve.Cut{c.cut}}); !errors.Is(err, serve.ErrCut) || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
			if err == nil {
				s.Close()
			}
		}
	}
}
