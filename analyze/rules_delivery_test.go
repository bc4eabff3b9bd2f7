package analyze

import "time"

func talks(ks ...*talk) []*talk { return ks }

// call is a connection with one call of the modern era.
func call() *talk { return on(1, 0).Ask(payModern("1")) }

// legacy is a connection with one call of the older era.
func legacy() *talk { return on(1, 0).Ask(ask("1", "tools/call", pay)) }

var answered = func() *talk { return call().Answer(sse, event(done("1")), last) }

func init() {
	ruleChecks = append(ruleChecks, []check{
		{code: "answer-then-break", name: "reset", talks: talks(call().Answer(sse, event(done("1"))).Wait(time.Second).End(server, rst)), want: "warn", says: "was reset by the server"},
		{code: "answer-then-break", name: "clean", talks: talks(answered())},
		{code: "answer-then-break", name: "close of the client", talks: talks(call().Answer(sse, event(done("1"))).End(client, fin))},

		{code: "answer-then-client-close", name: "at once", talks: talks(call().Answer(sse, event(done("1"))).End(client, fin)), want: "info"},
		{code: "answer-then-client-close", name: "late", talks: talks(call().Answer(sse, event(done("1"))).Wait(time.Minute).End(client, fin)), want: "info", says: "timeout"},
		{code: "answer-then-client-close", name: "clean", talks: talks(answered())},

		{code: "break-before-answer", name: "reset", talks: talks(call().Answer(sse).Wait(time.Second).End(server, rst)), want: "warn"},
		{code: "break-before-answer", name: "no response", talks: talks(call().Wait(time.Second).End(server, fin)), want: "warn", says: "before any response"},
		{code: "break-before-answer", name: "after the answer", talks: talks(call().Answer(sse, event(done("1"))).End(server, rst))},

		{code: "partial-answer", name: "inside the JSON", talks: talks(call().Answer(sse, chunk("data: "+done("1")[:40])).End(server, fin)), want: "error"},
		{code: "partial-answer", name: "blank line missing", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\n")).End(server, fin))},

		{code: "answer-unframed", name: "blank line missing", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\n")).End(server, rst)), want: "warn"},
		{code: "answer-unframed", name: "blank line missing at a clean end", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\n"), last)), want: "warn"},
		{code: "answer-unframed", name: "JSON without its end", talks: talks(call().Answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n"+done("1")).End(server, fin)), want: "warn"},
		{code: "answer-unframed", name: "framed", talks: talks(answered())},

		{code: "answer-cr-only", name: "bare CR", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\r\r"), last)), want: "warn"},
		{code: "answer-cr-only", name: "CR LF", talks: talks(call().Answer(sse, chunk("data: "+done("1")+"\r\n\r\n"), last))},

		{code: "end-without-answer", name: "clean", talks: talks(call().Answer(sse, last)), want: "error"},
		{code: "end-without-answer", name: "answered", talks: talks(answered())},

		{code: "poll-close", name: "with retry", talks: talks(legacy().Answer(sse, chunk("id: 7\nretry: 500\ndata: \n\n"), last)), want: "info"},
		{code: "poll-close", name: "without retry", talks: talks(legacy().Answer(sse, chunk("id: 7\ndata: \n\n"), last)), want: "warn", says: "no retry"},
		{code: "poll-close", name: "modern", talks: talks(call().Answer(sse, chunk("id: 7\ndata: \n\n"), last))},

		{code: "client-closed-before-answer", name: "modern", talks: talks(call().Answer(sse).Wait(time.Second).End(client, fin)), want: "info", says: "cancels"},
		{code: "client-closed-before-answer", name: "older", talks: talks(legacy().Answer(sse).Wait(time.Second).End(client, fin)), want: "warn", says: "may have run"},
		{code: "client-closed-before-answer", name: "answered", talks: talks(call().Answer(sse, event(done("1"))).End(client, fin))},

		{code: "unanswered", name: "open", talks: talks(call().Answer(sse)), more: time.Minute, want: "warn"},
		{code: "unanswered", name: "young", talks: talks(call().Answer(sse)), more: time.Second},

		{code: "stream-held-open", name: "held", talks: talks(call().Answer(sse, event(done("1"))).Wait(5 * time.Second).Answer(last)), want: "warn", says: "5 s"},
		{code: "stream-held-open", name: "not held", talks: talks(answered())},
		{code: "initialize-held-open", name: "held", talks: talks(on(1, 0).Ask(ask("1", "initialize", `{"protocolVersion":"2025-06-18"}`)).Answer(sse, event(done("1"))).Wait(10 * time.Second).Answer(last)), want: "warn"},
		{code: "initialize-held-open", name: "not held", talks: talks(open(on(1, 0), "s", "2025-06-18"))},

		{code: "answer-crosswired", name: "the other's answer", talks: talks(
			on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Wait(time.Second).Answer(sse, event(done("2")), last),
			on(2, time.Millisecond).Ask(ask("2", "tools/list", "{}", in("s")...))), want: "error"},
		{code: "answer-crosswired", name: "its own", talks: talks(legacy().Answer(sse, event(done("1")), last))},
		{code: "answer-foreign-id", name: "text for number", talks: talks(call().Answer(sse, event(done(`"1"`)), last)), want: "error"},
		{code: "answer-foreign-id", name: "equal number", talks: talks(call().Answer(sse, event(done(`1.0`)), last))},

		{code: "response-wrong-stream", name: "plain GET", talks: talks(on(1, 0).Ask(listen(in("s")...)).Answer(sse, event(done("1")), last)), want: "error"},
		{code: "response-wrong-stream", name: "a refusal's body", talks: talks(on(1, 0).Ask(listen(in("s")...)).Answer(status(409, "application/json", `{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"conflict"}}`)))},

		{code: "duplicate-answer", name: "twice", talks: talks(call().Answer(sse, event(done("1")), event(done("1")), last)), want: "error"},
		{code: "duplicate-answer", name: "once", talks: talks(answered())},
		{code: "message-after-answer", name: "a note", talks: talks(call().Answer(sse, event(done("1")), event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`), last)), want: "warn"},
		{code: "message-after-answer", name: "before it", talks: talks(call().Answer(sse, event(`{"jsonrpc":"2.0","method":"notifications/progress","params":{}}`), event(done("1")), last))},

		{code: "empty-200", name: "clean end", talks: talks(call().Answer(sse, chunk(":k\n\n"), last)), want: "warn"},
		{code: "empty-200", name: "broken after minutes", talks: talks(call().Answer(sse).Wait(4*time.Minute).End(server, rst)), want: "warn"},
		{code: "empty-200", name: "broken soon", talks: talks(call().Answer(sse).Wait(time.Second).End(server, rst))},
		{code: "json-truncated", name: "cut", talks: talks(call().Answer("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 300\r\n\r\n"+done("1")[:40]).End(server, fin)), want: "warn"},
		{code: "json-truncated", name: "whole", talks: talks(call().Answer(jsonBody(done("1"))))},
	})
}
