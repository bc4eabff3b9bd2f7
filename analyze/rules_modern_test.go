package analyze

import (
	"time"

	"mcptrace/capture/capturetest"
)

// failed is an error answer.
func failed(id, code string) string {
	return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"x"}}`
}

// input is a result that asks for input; state is JSON or "".
func input(id, state string) string {
	if state != "" {
		state = `,"requestState":` + state
	}
	return capturetest.Result(id, `{"resultType":"input_required","inputRequests":{}`+state+`}`)
}

// withState is the unsafe call in its next round.
func withState(id, state string) string {
	more := `"arguments":{"amount":5},"inputResponses":{}`
	if state != "" {
		more += `,"requestState":` + state
	}
	return modern(id, "tools/call", "pay", more)
}

// subscribe is a request to listen; what is asked for are members of its filter.
func subscribe(filter string) string {
	return modern("1", "subscriptions/listen", "", `"notifications":{`+filter+`}`)
}

// tagged is a notification of a subscription.
func tagged(method, id string) string {
	return event(capturetest.Note(method, `{"_meta":{"io.modelcontextprotocol/subscriptionId":`+id+`}}`))
}

func init() {
	s := time.Second
	ack := tagged("notifications/subscriptions/acknowledged", "1")
	rounds := func(state, returned, id string) []*talk {
		return talks(on(1, 0).Ask(payModern("1")).Answer(jsonBody(input("1", state))).Wait(s).Ask(withState(id, returned)).Answer(jsonBody(done(id))))
	}
	logs := event(capturetest.Note("notifications/message", `{"level":"info","data":"x"}`))
	task := capturetest.Result("1", `{"resultType":"task","taskId":"t","status":"working"}`)
	ruleChecks = append(ruleChecks, []check{
		{code: "version-header-missing", name: "modern", talks: talks(on(1, 0).Ask(swap(payModern("1"), "MCP-Protocol-Version: ", "X-Protocol-Version-No: ")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "header-body-mismatch", name: "method", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Method: tools/call", "Method: tools/list")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "header-body-mismatch", name: "name missing", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Mcp-Name", "Xxx-Name")).Answer(jsonBody(done("1")))), want: "error", says: "Mcp-Name is missing"},
		{code: "header-body-mismatch", name: "refused", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Name: pay", "Name: say")).Answer(status(400, "application/json", failed("1", "-32020")))), want: "info"},
		{code: "header-body-mismatch", name: "refused for another reason", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Name: pay", "Name: say")).Answer(status(401, "application/json", "{}")))},
		{code: "header-body-mismatch", name: "in base64", talks: talks(on(1, 0).Ask(modernAs("1", "tools/call", "p\u00e4y", "=?base64?cMOkeQ==?=")).Answer(jsonBody(done("1"))))},
		{code: "header-body-mismatch", name: "argument", talks: talks(on(1, 0).Ask(modern("1", "tools/call", "pay", `"arguments":{"amount":5}`, "Mcp-Param-Amount: 6")).Answer(jsonBody(done("1")))), want: "error", says: "Mcp-Param-Amount"},
		{code: "header-body-mismatch", name: "equal argument", talks: talks(on(1, 0).Ask(modern("1", "tools/call", "pay", `"arguments":{"to":{"amount":5}}`, "Mcp-Param-Amount: 5.0")).Answer(jsonBody(done("1"))))},
		{code: "meta-missing", name: "none", talks: talks(on(1, 0).Ask(ask("1", "tools/list", "{}", modernHeader("tools/list", "")...)).Answer(jsonBody(done("1")))), want: "error"},
		{code: "meta-missing", name: "there", talks: talks(answered())},
		{code: "meta-missing", name: "refused", talks: talks(on(1, 0).Ask(ask("1", "tools/list", "{}", modernHeader("tools/list", "")...)).Answer(status(400, "application/json", failed("1", "-32602"))))},
		{code: "result-type-missing", name: "missing", talks: talks(call().Answer(jsonBody(capturetest.Result("1", "{}")))), want: "error"},
		{code: "result-type-missing", name: "older", talks: talks(legacy().Answer(jsonBody(capturetest.Result("1", "{}"))))},
		{code: "server-request-in-modern", name: "asks", talks: talks(call().Answer(sse, event(capturetest.Call("9", "roots/list", "")), event(done("1")), last)), want: "error", says: "roots/list"},
		{code: "server-request-in-modern", name: "older", talks: talks(legacy().Answer(sse, event(capturetest.Call("9", "roots/list", "")), event(done("1")), last))},
		{code: "client-response-in-modern", name: "responds", talks: talks(answered().Ask(capturetest.Post("/mcp", done("9"), modernHeader("x", "")...)).Answer(accepted)), want: "error"},
		{code: "client-response-in-modern", name: "older", talks: talks(open(on(1, 0), "s", "2025-11-25").Ask(capturetest.Post("/mcp", done("9"), in("s")...)).Answer(accepted))},
		{code: "get-in-modern", name: "GET", talks: talks(answered().Ask(listen("MCP-Protocol-Version: 2026-07-28")).Answer(status(405, "text/plain", ""))), want: "info", says: "405"},
		{code: "get-in-modern", name: "older", talks: talks(open(on(1, 0), "s", "2025-11-25").Ask(listen(in("s")...)).Answer(status(405, "text/plain", "")))},
		{code: "session-header-in-modern", name: "minted", talks: talks(call().Answer(jsonBody(done("1"), "Mcp-Session-Id: s"))), want: "info", says: "mints"},
		{code: "session-header-in-modern", name: "none", talks: talks(answered())},
		{code: "log-without-level", name: "unasked", talks: talks(call().Answer(sse, logs, event(done("1")), last)), want: "error"},
		{code: "log-without-level", name: "asked", talks: talks(on(1, 0).Ask(swap(payModern("1"), `"io.modelcontextprotocol/clientCapabilities":{}`, `"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"info"`)).Answer(sse, logs, event(done("1")), last))},
		{code: "subscription-not-acknowledged-first", name: "late", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, tagged("notifications/tools/list_changed", "1"), ack)), want: "error"},
		{code: "subscription-not-acknowledged-first", name: "first", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, ack))},
		{code: "subscription-untagged", name: "another id", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, ack, tagged("notifications/tools/list_changed", "2"))), want: "error"},
		{code: "subscription-untagged", name: "tagged", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, ack, tagged("notifications/tools/list_changed", "1")))},
		{code: "subscription-unrequested-type", name: "another", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, ack, tagged("notifications/prompts/list_changed", "1"))), want: "error"},
		{code: "subscription-unrequested-type", name: "asked", talks: talks(on(1, 0).Ask(subscribe(`"toolsListChanged":true`)).Answer(sse, ack, tagged("notifications/tools/list_changed", "1")))},
		{code: "subscription-dropped", name: "reset", talks: talks(on(1, 0).Ask(subscribe("")).Answer(sse, ack).Wait(s).End(server, rst)), want: "warn"},
		{code: "subscription-dropped", name: "in order", talks: talks(on(1, 0).Ask(subscribe("")).Answer(sse, ack).Wait(s).Answer(event(done("1")), last))},
		{code: "subscription-dropped", name: "by the client", talks: talks(on(1, 0).Ask(subscribe("")).Answer(sse, ack).Wait(s).End(client, fin))},
		{code: "reserved-error-code", name: "not given", talks: talks(call().Answer(jsonBody(failed("1", "-32050")))), want: "error"},
		{code: "reserved-error-code", name: "of an older version", talks: talks(call().Answer(jsonBody(failed("1", "-32002")))), want: "error"},
		{code: "reserved-error-code", name: "given", talks: talks(call().Answer(status(400, "application/json", failed("1", "-32022"))))},
		{code: "reserved-error-code", name: "older", talks: talks(legacy().Answer(jsonBody(failed("1", "-32002"))))},
		{code: "unknown-method-status", name: "200", talks: talks(call().Answer(jsonBody(failed("1", "-32601")))), want: "warn"},
		{code: "unknown-method-status", name: "404", talks: talks(call().Answer(status(404, "application/json", failed("1", "-32601"))))},
		{code: "era-fallback", name: "after 400", talks: talks(on(1, 0).Ask(modern("1", "server/discover", "", "")).Answer(status(400, "text/plain", "no session")), open(on(2, s), "s", "2025-11-25")), want: "info"},
		{code: "era-fallback", name: "modern", talks: talks(on(1, 0).Ask(modern("1", "server/discover", "", "")).Answer(jsonBody(done("1"))), open(on(2, s), "s", "2025-11-25"))},
		{code: "mrtr-id-reused", name: "same", talks: rounds(`"a"`, `"a"`, "1"), want: "error"},
		{code: "mrtr-id-reused", name: "new", talks: rounds(`"a"`, `"a"`, "2")},
		{code: "mrtr-state-altered", name: "altered", talks: rounds(`"a"`, `"b"`, "2"), want: "error"},
		{code: "mrtr-state-altered", name: "dropped", talks: rounds(`"a"`, "", "2"), want: "error"},
		{code: "mrtr-state-altered", name: "returned", talks: rounds(`"a"`, `"a"`, "2")},
		{code: "mrtr-state-invented", name: "invented", talks: rounds("", `"b"`, "2"), want: "error"},
		{code: "mrtr-state-invented", name: "none", talks: rounds("", "", "2")},
		{code: "mrtr-on-wrong-method", name: "tools/list", talks: talks(on(1, 0).Ask(safeCall("1")).Answer(jsonBody(input("1", "")))), want: "error"},
		{code: "mrtr-on-wrong-method", name: "tools/call", talks: rounds("", "", "2")},
		{code: "task-unrequested", name: "unasked", talks: talks(call().Answer(jsonBody(task))), want: "error"},
		{code: "task-unrequested", name: "asked", talks: talks(on(1, 0).Ask(swap(payModern("1"), `clientCapabilities":{}`, `clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)).Answer(jsonBody(task)))},
	})
}
