package analyze

import (
	"testing"
	"time"

	"mcptrace/capture"
)

// TestVectors goes from bytes and an ending to a level and findings, one shape of response after the other.
func TestVectors(t *testing.T) {
	s := time.Second
	reset := func(k *talk) *talk { return k.Wait(s).End(server, rst) }
	a1 := "data: " + done("1")
	traced := func(id, trace string) string { return withTrace(payModern(id), trace) }
	for _, c := range []struct {
		name  string
		talks []*talk
		level capture.Level // of the first exchange
		codes []string      // that must be there
		not   []string
	}{
		{"1 answer, clean", talks(call().Answer(sse, event(done("1")), last)), "dispatched", nil, []string{"answer-then-break"}},
		{"2 answer, reset", talks(reset(call().Answer(sse, event(done("1"))))), "dispatched", []string{"answer-then-break"}, nil},
		{"3 no blank line, reset", talks(reset(call().Answer(sse, chunk(a1+"\n")))), "unframed", []string{"answer-unframed"}, nil},
		{"3 no blank line, clean", talks(call().Answer(sse, chunk(a1+"\n"), last)), "unframed", []string{"answer-unframed"}, nil},
		{"4 cut inside the result", talks(reset(call().Answer(sse, chunk(a1[:45])))), "partial", []string{"partial-answer"}, nil},
		{"5 comment only, FIN", talks(call().Answer(sse, chunk(":k\n\n")).End(server, fin)), "none", []string{"break-before-answer"}, nil},
		{"6 poll close, early", talks(broken(0), on(2, 400*time.Millisecond).Ask(resume("7")).Answer(sse, last)), "none", []string{"poll-close", "resume-too-early"}, nil},
		{"6 poll close, in time", talks(broken(0), on(2, 520*time.Millisecond).Ask(resume("7")).Answer(sse, last)), "none", []string{"poll-close", "resumed"}, []string{"resume-too-early"}},
		{"7 the same, modern", talks(call().Answer(sse, chunk(primed), last)), "none", []string{"modern-event-id", "end-without-answer"}, []string{"poll-close"}},
		{"8 id of another type", talks(call().Answer(sse, event(done(`"1"`)), last)), "none", []string{"answer-foreign-id"}, nil},
		{"9 bare CR", talks(call().Answer(sse, chunk(a1+"\r\r"), last)), "dispatched", []string{"answer-cr-only"}, nil},
		{"10 BOM", talks(call().Answer(sse, chunk("\ufeff"+a1+"\n\n"), last)), "dispatched", []string{"sse-bom"}, nil},
		{"11 two answers", talks(call().Answer(sse, event(done("1")), event(done("1")), last)), "dispatched", []string{"duplicate-answer"}, nil},
		{"12 JSON short of its length", talks(call().Answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 400\r\n\r\n"+done("1")).End(server, fin)), "unframed", []string{"answer-unframed"}, nil},
		{"13 after delivery", talks(reset(on(1, 0).Ask(traced("1", "a")).Answer(sse, event(done("1")))), on(2, 2*s).Ask(traced("2", "b")).Answer(jsonBody(done("2")))), "dispatched", []string{"reissue-after-delivery"}, nil},
		{"14 after loss", talks(reset(on(1, 0).Ask(traced("1", "a")).Answer(sse)), on(2, 2*s).Ask(traced("2", "b")).Answer(jsonBody(done("2")))), "none", []string{"reissue-after-loss"}, []string{"reissue-same-id"}},
		{"15 of executed", talks(reset(on(1, 0).Ask(traced("1", "a")).Answer(sse, chunk(a1[:45]))), on(2, 2*s).Ask(traced("2", "b")).Answer(jsonBody(done("2")))), "partial", []string{"reissue-of-executed"}, nil},
		{"16 same id", talks(reset(on(1, 0).Ask(traced("1", "a")).Answer(sse)), on(2, 2*s).Ask(traced("1", "b")).Answer(jsonBody(done("1")))), "none", []string{"reissue-same-id"}, nil},
		{"17 input rounds", talks(on(1, 0).Ask(payModern("1")).Answer(jsonBody(input("1", `"s"`))), on(2, s).Ask(withState("2", `"s"`)).Answer(jsonBody(done("2")))), "dispatched", nil, []string{"reissue-after-delivery", "reissue-after-loss"}},
		{"18 credentials", talks(call().Answer(status(401, "text/plain", "who", "WWW-Authenticate: Bearer")), on(2, s).Ask(payModern("1")).Answer(jsonBody(done("1")))), "none", []string{"auth-challenge"}, []string{"reissue-after-loss", "reissue-same-id", "transport-duplicate"}},
		{"23 seen, never acknowledged", talks(silentClient(call().Answer(sse, event(done("1")))).Wait(s).End(client, rst)), "dispatched", nil, nil},
		{"24 two sessions", talks(reset(on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse)), on(2, s/2).Ask(ask("1", "tools/call", pay, in("t")...)).Answer(jsonBody(done("1")))), "none", nil, []string{"reissue-after-loss", "reissue-while-in-flight"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judge(t, Options{}, 0, c.talks...)
			if got := a.Cases()[0].Answer().Level; got != c.level {
				t.Errorf("level %s, want %s", got, c.level)
			}
			for _, code := range c.codes {
				if _, ok := found(a, code); !ok {
					t.Errorf("%s is missing; there are %v", code, codes(a))
				}
			}
			for _, code := range c.not {
				if f, ok := found(a, code); ok {
					t.Errorf("unexpected %s: %s", code, f.Message)
				}
			}
			if c.name[:2] == "23" && a.Cases()[0].Answer().Delivered > 0 {
				t.Error("delivered, although nothing acknowledged it")
			}
		})
	}
}

// silentClient leaves out the client's acknowledgements.
func silentClient(k *talk) *talk {
	k.Silent[client] = true
	return k
}

// TestBlocked: who waits for a stream held open is billed, who goes on at once is not.
func TestBlocked(t *testing.T) {
	for _, c := range []struct {
		name string
		next time.Duration
		want time.Duration
	}{{"waits", 10*time.Second + 10*time.Millisecond, 10 * time.Second}, {"goes on", 20 * time.Millisecond, 0}} {
		first := on(1, 0).Ask(ask("1", "initialize", `{"protocolVersion":"2025-06-18"}`)).Answer(sse + event(done("1"))).Wait(10 * time.Second).Answer(last)
		a := judge(t, Options{}, 0, first, on(2, c.next).Ask(ask("2", "tools/list", "{}")).Answer(jsonBody(done("2"))))
		if got := a.Cases()[0].Hold.Blocked; got < c.want || got > c.want+20*time.Millisecond {
			t.Errorf("%s: blocked %v, want %v", c.name, got, c.want)
		}
	}
}
