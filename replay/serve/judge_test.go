package serve_test

import (
	"testing"
	"time"

	"mcptrace/capture/capturetest"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

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
		{"still waiting", serve.Cut{At: serve.BeforeAnswer, End: serve.Hold}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).until("\n\n")
			s.Close()
		}, replay.Unknown},
		{"let go", serve.Cut{At: serve.BeforeAnswer, End: serve.HoldFor(time.Millisecond)}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
		}, replay.Failed},
		{"went on", serve.Cut{At: serve.AfterAnswer, End: serve.FIN}, func(t *testing.T, s *serve.Server) {
			dial(t, s).ask(pay("7")).rest()
			dial(t, s).ask(capturetest.Post("/mcp", capturetest.Call("8", "tools/list", ""))).until("}}")
		}, replay.Unknown},
		{"whole", serve.Cut{}, func(t *testing.T, s *serve.Server) {
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
