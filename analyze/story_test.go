package analyze

import (
	"strings"
	"testing"
	"time"
)

func TestStories(t *testing.T) {
	s := time.Second
	task := `{"jsonrpc":"2.0","id":1,"result":{"resultType":"task","taskId":"t","status":"working"}}`
	poll := func(id, state string) (string, string) {
		return modern(id, "tasks/get", "", `"taskId":"t"`), `{"jsonrpc":"2.0","id":` + id + `,"result":{"resultType":"complete","taskId":"t","status":"` + state + `"}}`
	}
	ask2, working := poll("2", "working")
	ask3, completed := poll("3", "completed")
	for _, c := range []struct {
		name          string
		talks         []*talk
		roles         string
		outcome       Outcome
		least, most   int
		says          string
		answeredAfter time.Duration
	}{
		{name: "one lost call over seven exchanges", roles: "attempt resumption refused-resumption refused-resumption cancel re-issue", outcome: Answered, least: 1, most: 2,
			answeredAfter: 60 * s, says: "2× resumption refused #5, cancelled by #7, issued again as #8", talks: talks(
				open(on(9, 0), "s", "2025-11-25"),
				on(1, s).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse, chunk(primed)).Wait(s).End(server, rst),
				on(2, 3*s).Ask(resume("7")).Answer(sse).Wait(s).End(server, rst),
				on(3, 5*s).Ask(resume("7")).Answer(status(409, "text/plain", "no")),
				on(4, 7*s).Ask(resume("7")).Answer(status(409, "text/plain", "no")),
				on(5, 60*s).Ask(note("notifications/cancelled", `{"requestId":1}`, in("s")...)).Answer(accepted),
				on(6, 61*s).Ask(ask("2", "tools/call", pay, in("s")...)).Answer(jsonBody(done("2"))))},
		{name: "ran twice", roles: "attempt re-issue", outcome: Answered, least: 2, most: 2, answeredAfter: 2 * s, says: "ran 2 times",
			talks: talks(call().Answer(sse, event(done("1"))).Wait(s).End(server, rst), again(2*s, "2"))},
		{name: "ran and lost", roles: "attempt", outcome: Lost, least: 1, most: 1, answeredAfter: -1, says: "ran at least once and its answer is lost",
			talks: talks(call().Answer(sse, chunk("data: "+done("1")[:45])).Wait(s).End(server, rst))},
		{name: "lost", roles: "attempt", outcome: Lost, least: 0, most: 1, answeredAfter: -1, says: "whether it ran is not known", talks: talks(call().Wait(s).End(server, rst))},
		{name: "resumed", roles: "attempt resumption", outcome: Answered, least: 1, most: 1, answeredAfter: s, says: "resumed by #2",
			talks: talks(broken(0), on(2, s).Ask(resume("7")).Answer(sse, event(done("1")), last))},
		{name: "input rounds", roles: "attempt input-round", outcome: Answered, least: 1, most: 1, answeredAfter: s,
			talks: talks(on(1, 0).Ask(payModern("1")).Answer(jsonBody(input("1", `"s"`))), on(2, s).Ask(withState("2", `"s"`)).Answer(jsonBody(done("2"))))},
		{name: "task", roles: "attempt task-poll task-poll", outcome: Answered, least: 1, most: 1, answeredAfter: 2 * s,
			talks: talks(call().Answer(jsonBody(task)), on(2, s).Ask(ask2).Answer(jsonBody(working)), on(3, 2*s).Ask(ask3).Answer(jsonBody(completed)))},
		{name: "task still at work", roles: "attempt task-poll", outcome: Undecided, most: 0, answeredAfter: -1, says: "became a task",
			talks: talks(call().Answer(jsonBody(task)), on(2, s).Ask(ask2).Answer(jsonBody(working)))},
		{name: "credentials", roles: "attempt credentials", outcome: Answered, least: 1, most: 1, answeredAfter: s,
			talks: talks(call().Answer(status(401, "text/plain", "who", "WWW-Authenticate: Bearer")), on(2, s).Ask(payModern("1")).Answer(jsonBody(done("1"))))},
		{name: "another version", roles: "attempt corrected", outcome: Answered, least: 1, most: 1, answeredAfter: s,
			talks: talks(call().Answer(status(400, "application/json", failed("1", "-32022"))), again(s, "2"))},
		{name: "redirect", roles: "attempt redirected", outcome: Answered, least: 1, most: 1, answeredAfter: s,
			talks: talks(call().Answer(status(307, "text/plain", "there", "Location: /mcp")), again(s, "2"))},
		{name: "new session", roles: "attempt re-initialize re-issue", outcome: Answered, least: 1, most: 1, answeredAfter: 2 * s, talks: talks(
			open(on(1, 0), "s", "2025-11-25"), on(3, s).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(gone()),
			open(on(2, 2*s), "t", "2025-11-25"), on(4, 3*s).Ask(ask("2", "tools/call", pay, in("t")...)).Answer(jsonBody(done("2"))))},
		{name: "older era", roles: "attempt era-fallback", outcome: Answered, least: 0, most: 0, answeredAfter: s,
			talks: talks(on(1, 0).Ask(modern("1", "server/discover", "", "")).Answer(status(400, "text/plain", "no")), open(on(2, s), "s", "2025-11-25"))},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := judge(t, Options{}, time.Minute, c.talks...)
			if len(a.Stories) != 1 {
				t.Fatalf("%d stories, want one: %v", len(a.Stories), a.Stories)
			}
			st := a.Stories[0]
			var roles []string
			for _, l := range st.Legs {
				roles = append(roles, string(l.Role))
				if l.Of != nil && l.Why == "" {
					t.Errorf("no evidence for %s", l.Role)
				}
				if l.Case.Story != st {
					t.Errorf("exchange %d does not know its story", l.Case.ID)
				}
			}
			if got := strings.Join(roles, " "); got != c.roles {
				t.Errorf("roles %q, want %q", got, c.roles)
			}
			if st.Outcome != c.outcome || st.RanAtLeast != c.least || st.RanAtMost != c.most {
				t.Errorf("%s, ran %d to %d times; want %s, %d to %d: %s", st.Outcome, st.RanAtLeast, st.RanAtMost, c.outcome, c.least, c.most, st)
			}
			if d := st.After - c.answeredAfter; d < -time.Millisecond || d > 10*time.Millisecond {
				t.Errorf("answered after %v, want %v", st.After, c.answeredAfter)
			}
			if !strings.Contains(st.String(), c.says) {
				t.Errorf("%q does not say %q", st, c.says)
			}
		})
	}
}

// TestLogicalTotals counts each wish of a caller once.
func TestLogicalTotals(t *testing.T) {
	s := time.Second
	a := judge(t, Options{}, 0,
		call().Answer(sse, event(done("1"))).Wait(s).End(server, rst), again(2*s, "2"), // ran twice
		on(3, 0).Ask(modern("3", "tools/call", "pay", `"arguments":{"amount":6}`)).Answer(jsonBody(done("3"))), // one exchange says all
		on(4, 0).Ask(modern("4", "tools/call", "pay", `"arguments":{"amount":7}`)).Answer(sse, chunk("data: "+done("4")[:45])).Wait(s).End(server, rst),
	)
	want := LogicalTotals{Calls: 3, Answered: 2, Lost: 1, RanTwice: 1, RanAndLost: 1}
	if a.Logical != want {
		t.Errorf("%+v, want %+v", a.Logical, want)
	}
	if len(a.Stories) != 2 {
		t.Errorf("%d stories, want those of the two calls with more to tell", len(a.Stories))
	}
}

func TestExecution(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		name string
		k    *talk
		want Execution
	}{
		{"result", answered(), Executed},
		{"unframed", call().Answer(sse, chunk("data: "+done("1")+"\n")).End(server, rst), Executed},
		{"partial", call().Answer(sse, chunk("data: "+done("1")[:45])).End(server, rst), Executed},
		{"JSON begun", call().Answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n{\"js").End(server, rst), Executed},
		{"error of the tool", call().Answer(jsonBody(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","isError":true}}`)), Likely},
		{"error", call().Answer(jsonBody(failed("1", "-32603"))), Likely},
		{"invalid", call().Answer(jsonBody(failed("1", "-32602"))), NotExecuted},
		{"429", call().Answer(status(429, "text/plain", "")), NotExecuted},
		{"504", call().Answer(status(504, "text/plain", "")), Unknowable},
		{"progress", call().Answer(sse, event(progress)).Wait(s).End(server, rst), Running},
		{"stream opened", call().Answer(sse).Wait(s).End(server, rst), Accepted},
		{"input asked for", call().Answer(jsonBody(input("1", ""))), Accepted},
		{"nothing", call().Wait(s).End(server, rst), Unknowable},
		{"never acknowledged", silentServer(call()).Wait(s).End(client, rst), Unlikely},
	} {
		a := judge(t, Options{}, 0, c.k)
		got, why := a.Cases()[0].Execution()
		if got != c.want || why == "" {
			t.Errorf("%s: %s (%s), want %s", c.name, got, why, c.want)
		}
	}
}
