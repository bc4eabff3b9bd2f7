package analyze

import (
	"strings"
	"time"
)

// again is the same call some time later, answered.
func again(after time.Duration, id string) *talk {
	return on(2, after).Ask(payModern(id)).Answer(jsonBody(done(id)))
}

// safeCall is a call that may run twice.
func safeCall(id string) string { return modern(id, "tools/list", "", "") }

const progress = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`

// reissueChecks are about second attempts: what was known of the first decides.
func reissueChecks() []check {
	s := time.Second
	reset := func(k *talk) *talk { return k.Wait(s).End(server, rst) }
	return []check{
		{code: "reissue-after-delivery", name: "unsafe", talks: talks(reset(call().Answer(sse, event(done("1")))), again(2*s, "2")), want: "error", says: "certain"},
		{code: "reissue-after-delivery", name: "safe", talks: talks(reset(on(1, 0).Ask(safeCall("1")).Answer(sse, event(done("1")))), on(2, 2*s).Ask(safeCall("2")).Answer(jsonBody(done("2")))), want: "info"},
		{code: "reissue-after-delivery", name: "late close", talks: talks(call().Answer(sse, event(done("1"))).Wait(30*s).End(client, fin), again(31*s, "2")), want: "error"},
		{code: "reissue-after-delivery", name: "close at once", talks: talks(call().Answer(sse, event(done("1"))).End(client, fin), again(31*s, "2"))},
		{code: "reissue-after-delivery", name: "bare CR", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\r\r"), last), again(31*s, "2")), want: "error"},
		{code: "reissue-after-delivery", name: "clean", talks: talks(answered(), again(2*s, "2"))},
		{code: "reissue-after-delivery", name: "first answer an error", talks: talks(reset(call().Answer(sse, event(`{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","isError":true}}`))), again(2*s, "2")), want: "error", says: "likely"},
		{code: "reissue-after-delivery", name: "second refused", talks: talks(reset(call().Answer(sse, event(done("1")))), on(2, 2*s).Ask(payModern("2")).Answer(status(429, "text/plain", "slow down"))), want: "info", says: "Did it run twice: no"},
		{code: "reissue-after-unframed-answer", name: "blank line missing", talks: talks(reset(call().Answer(sse, chunk("data: "+done("1")+"\n"))), again(2*s, "2")), want: "error", says: "certain"},
		{code: "reissue-after-unframed-answer", name: "framed", talks: talks(reset(call().Answer(sse, event(done("1")))), again(2*s, "2"))},
		{code: "reissue-of-executed", name: "partial", talks: talks(reset(call().Answer(sse, chunk("data: "+done("1")[:45]))), again(2*s, "2")), want: "error", says: "certain"},
		{code: "reissue-of-executed", name: "nothing seen", talks: talks(reset(call().Answer(sse)), again(2*s, "2"))},
		{code: "reissue-of-started", name: "progress", talks: talks(reset(call().Answer(sse, event(progress))), again(2*s, "2")), want: "warn", says: "likely"},
		{code: "reissue-of-started", name: "no progress", talks: talks(reset(call().Answer(sse)), again(2*s, "2"))},
		{code: "reissue-after-loss", name: "nothing seen", talks: talks(reset(call().Answer(sse)), again(2*s, "2")), want: "info", says: "possible"},
		{code: "reissue-after-loss", name: "another call", talks: talks(reset(call().Answer(sse)), on(2, 2*s).Ask(modern("2", "tools/call", "pay", `"arguments":{"amount":6}`)).Answer(jsonBody(done("2"))))},
		{code: "reissue-after-loss", name: "another client", talks: talks(
			reset(on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse)), on(2, s/2).Ask(ask("1", "tools/call", pay, in("t")...)).Answer(jsonBody(done("1"))))},
		{code: "reissue-clean", name: "request cut: what it asked for is not known", talks: talks(on(1, 0).Ask(payModern("1")[:450]).Wait(s).End(server, rst), again(2*s, "2"))},
		{code: "reissue-clean", name: "never acknowledged", talks: talks(silentServer(on(1, 0).Ask(payModern("1"))).Wait(s).End(client, rst), again(2*s, "2")), want: "info", says: "unlikely"},
		{code: "reissue-while-in-flight", name: "two in flight, both answered", talks: talks(call().Wait(2*s).Answer(jsonBody(done("1"))), again(s, "2")), want: "warn", says: "certain"},
		{code: "reissue-while-in-flight", name: "one after the other", talks: talks(answered(), again(s, "2"))},
		{code: "transport-duplicate", name: "byte for byte", talks: talks(call().Wait(s).End(server, fin), on(2, s+s/2).Ask(payModern("1")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "transport-duplicate", name: "new id", talks: talks(call().Wait(s).End(server, fin), again(s+s/2, "2"))},
		{code: "reissue-after-session-404", name: "new session", talks: talks(
			open(on(1, 0), "s", "2025-11-25").Wait(s).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(status(404, "text/plain", "gone")),
			open(on(2, 2*s), "t", "2025-11-25").Ask(ask("2", "tools/call", pay, in("t")...)).Answer(jsonBody(done("2")))), want: "info", says: "no"},
		{code: "reissue-after-session-404", name: "another call", talks: talks(
			open(on(1, 0), "s", "2025-11-25").Wait(s).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(status(404, "text/plain", "gone")),
			open(on(2, 2*s), "t", "2025-11-25").Ask(ask("2", "tools/list", "{}", in("t")...)).Answer(jsonBody(done("2"))))},
		{code: "retry-after-status", name: "503", talks: talks(call().Answer(status(503, "text/plain", "busy")), again(s, "2")), want: "info", says: "possible"},
		{code: "retry-after-status", name: "429", talks: talks(call().Answer(status(429, "text/plain", "busy")), again(s, "2")), want: "info", says: "Did it run twice: no"},
		{code: "retry-after-status", name: "400", talks: talks(call().Answer(status(400, "text/plain", "bad")), again(s, "2"))},
		{code: "reissue-same-id", name: "same id", talks: talks(reset(call().Answer(sse)), on(2, 9*s).Ask(payModern("1")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "reissue-same-id", name: "after 401", talks: talks(call().Answer(status(401, "text/plain", "who", "WWW-Authenticate: Bearer")), on(2, s).Ask(payModern("1")).Answer(jsonBody(done("1"))))},
		{code: "reissue-same-id", name: "new id", talks: talks(reset(call().Answer(sse)), again(2*s, "2"))},
		{code: "lost-not-reissued", name: "lost", talks: talks(reset(call().Answer(sse))), more: time.Minute, want: "info"},
		{code: "lost-not-reissued", name: "issued again", talks: talks(reset(call().Answer(sse)), again(2*s, "2")), more: time.Minute},
		{code: "repeat-after-answer", name: "honest", talks: talks(answered(), again(s, "2")), want: "info"},
		{code: "repeat-after-answer", name: "first call", talks: talks(answered())},
		{code: "reissue-clean", name: "acknowledged", talks: talks(reset(call().Answer(sse)), again(2*s, "2"))},
	}
}

// silentServer leaves out the server's acknowledgements.
func silentServer(k *talk) *talk {
	k.Silent[server] = true
	return k
}

// withTrace puts another trace context into a modern request of the same length.
func withTrace(request, trace string) string {
	member := `"traceparent":"00-` + strings.Repeat(trace, 32) + `-` + strings.Repeat(trace, 16) + `-01",`
	head, body, _ := strings.Cut(request, "\r\n\r\n")
	body = strings.Replace(body, `"_meta":{`, `"_meta":{`+member, 1)
	return lengthened(head, len(member)) + "\r\n\r\n" + body
}
