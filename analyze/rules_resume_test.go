package analyze

import (
	"strings"
	"time"
)

// primed is a stream with an event id, from which a client may resume.
const primed = "id: 7\nretry: 500\ndata: \n\n"

// broken is a call of a session whose primed stream ended after a second.
func broken(by time.Duration) *talk {
	return on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse, chunk(primed)).Wait(by).Answer(last)
}

// resume is a GET that goes on with event id.
func resume(id string) string { return listen(append(in("s"), "Last-Event-ID: "+id)...) }

func init() {
	second := time.Second
	ruleChecks = append(ruleChecks, []check{
		{code: "resumed", name: "with the answer", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, event(done("1")), last)), want: "info", says: "#1"},
		{code: "resumed", name: "refused", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(status(409, "text/plain", "no")))},
		{code: "resumed-answer", name: "on the GET", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, event(done("1")), last)), want: "info"},
		{code: "resumed-answer", name: "on its own stream", talks: talks(answered())},
		{code: "resume-too-early", name: "at once", talks: talks(broken(0), on(2, 100*time.Millisecond).Ask(resume("7")).Answer(sse, last)), want: "error"},
		{code: "resume-too-early", name: "in time", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, last))},
		{code: "resume-refused", name: "409", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(status(409, "text/plain", "no"))), want: "warn"},
		{code: "resume-refused", name: "200", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, last))},
		{code: "resume-replays-seen", name: "again", talks: talks(
			on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse, chunk(primed+"id: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"), last),
			on(2, second).Ask(resume("7")).Answer(sse, chunk("id: 8\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\"}\n\n"), last)), want: "warn"},
		{code: "resume-replays-seen", name: "new only", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, chunk("id: 9\ndata: "+done("1")+"\n\n"), last))},
		{code: "resume-wrong-stream", name: "another's answer", talks: talks(broken(0),
			on(3, 10*time.Millisecond).Ask(ask("2", "tools/list", "{}", in("s")...)).Answer(sse).Wait(2*second).Answer(last),
			on(2, second).Ask(resume("7")).Answer(sse, event(done("2")), last)), want: "error"},
		{code: "resume-wrong-stream", name: "its own", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, event(done("1")), last))},
		{code: "event-id-reused", name: "twice", talks: talks(on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse, chunk("id: 7\ndata: {}\n\nid: 7\ndata: {}\n\n"), last)), want: "error"},
		{code: "event-id-reused", name: "once", talks: talks(broken(0))},
		{code: "resume-and-reissue", name: "both", talks: talks(
			on(1, 0).Ask(ask("1", "tools/call", pay, in("s")...)).Answer(sse, chunk(primed)).Wait(second).End(server, rst),
			on(2, 2*second).Ask(resume("7")).Answer(sse).Wait(second).End(server, rst),
			on(3, 4*second).Ask(ask("2", "tools/call", pay, in("s")...)).Answer(jsonBody(done("2")))), want: "warn"},
		{code: "resume-and-reissue", name: "resumed only", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, event(done("1")), last))},
		{code: "modern-event-id", name: "id", talks: talks(call().Answer(sse, chunk("id: 7\ndata: "+done("1")+"\n\n"), last)), want: "info"},
		{code: "modern-event-id", name: "none", talks: talks(answered())},
		{code: "modern-resume", name: "GET", talks: talks(call().Answer(sse, chunk("id: 7\ndata: \n\n"), last),
			on(2, second).Ask(listen("MCP-Protocol-Version: 2026-07-28", "Last-Event-ID: 7")).Answer(status(405, "text/plain", "no"))), want: "warn", says: "405"},
		{code: "modern-resume", name: "older", talks: talks(broken(0), on(2, second).Ask(resume("7")).Answer(sse, last))},
	}, reissueChecks(), framingChecks())
}

// framingChecks are about the form of a stream.
func framingChecks() []check {
	answer := "data: " + done("1") + "\n\n"
	stream := func(text string) []*talk { return talks(call().Answer(sse, chunk(text), last)) }
	var out []check
	for _, x := range []struct{ code, text, severity string }{
		{"sse-event-unterminated", answer + "data: {", "warn"},
		{"sse-non-json-data", "data: hello\n\n" + answer, "warn"},
		{"sse-other-event-name", "event: response\n" + answer, "warn"},
		{"sse-line-without-colon", "data\n\n" + answer, "warn"},
		{"sse-invalid-utf8", "data: \xff\n\n" + answer, "error"},
		{"sse-id-nul", "id: a\x00b\n" + answer, "warn"},
		{"sse-mixed-eol", "event: message\r\n" + answer, "info"},
		{"sse-bom", "\ufeff" + answer, "info"},
		{"sse-json-over-lines", strings.Replace(answer, `,"result"`, ",\ndata: \"result\"", 1), "info"},
	} {
		out = append(out, check{code: x.code, name: "odd", talks: stream(x.text), want: x.severity}, check{code: x.code, name: "plain", talks: stream(answer)})
	}
	return out
}
