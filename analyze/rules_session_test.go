package analyze

import (
	"fmt"
	"time"

	"mcptrace/capture/capturetest"
)

// list is a harmless call of session s.
func list(id, s string) string { return ask(id, "tools/list", "{}", in(s)...) }

// gone is the answer to a session that is not known.
func gone() string { return status(404, "text/plain", "gone") }

// many returns n connections, made one by one.
func many(n int, one func(i int) *talk) []*talk {
	var ks []*talk
	for i := range n {
		ks = append(ks, one(i))
	}
	return ks
}

func init() {
	s := time.Second
	session := func() *talk { return open(on(1, 0), "s", "2025-11-25") }
	get := func(k *talk, resp ...string) *talk { return k.Ask(listen(in("s")...)).Answer(resp...) }
	initialize := func(k *talk) *talk {
		return k.Ask(ask("0", "initialize", `{"protocolVersion":"2025-11-25","capabilities":{}}`))
	}
	ruleChecks = append(ruleChecks, []check{
		{code: "status-without-answer", name: "a gateway's page", talks: talks(legacy().Answer(status(504, "text/html", "<p>timeout</p>"))), want: "warn", says: "504"},
		{code: "status-without-answer", name: "a JSON-RPC error", talks: talks(legacy().Answer(status(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"no"}}`)))},
		{code: "status-202-for-request", name: "202", talks: talks(legacy().Answer(accepted)), want: "error"},
		{code: "status-202-for-request", name: "200", talks: talks(legacy().Answer(jsonBody(done("1"))))},
		{code: "status-not-202", name: "200", talks: talks(on(1, 0).Ask(note("notifications/initialized", "", in("s")...)).Answer(jsonBody("{}"))), want: "warn"},
		{code: "status-not-202", name: "202", talks: talks(session())},
		{code: "wrong-content-type", name: "HTML", talks: talks(legacy().Answer(status(200, "text/html", "<p>log in</p>"))), want: "error"},
		{code: "wrong-content-type", name: "charset", talks: talks(legacy().Answer(status(200, "application/json; charset=utf-8", done("1"))))},
		{code: "accept-incomplete", name: "JSON only", talks: talks(on(1, 0).Ask(plainPost("Accept: application/json")).Answer(jsonBody(done("1")))), want: "warn"},
		{code: "accept-incomplete", name: "none", talks: talks(on(1, 0).Ask(plainPost("X: y")).Answer(jsonBody(done("1")))), want: "warn"},
		{code: "accept-incomplete", name: "anything", talks: talks(on(1, 0).Ask(plainPost("Accept: */*")).Answer(jsonBody(done("1"))))},
		{code: "get-not-sse", name: "JSON", talks: talks(get(session(), jsonBody("{}"))), want: "warn"},
		{code: "get-not-sse", name: "405", talks: talks(get(session(), status(405, "text/plain", "no")))},

		{code: "session-header-missing", name: "same connection", talks: talks(session().Wait(s).Ask(ask("1", "tools/list", "{}")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "session-header-missing", name: "carried", talks: talks(session().Wait(s).Ask(list("1", "s")).Answer(jsonBody(done("1"))))},
		{code: "session-header-missing", name: "stateless", talks: talks(initialize(on(1, 0)).Answer(jsonBody(done("0"))).Ask(ask("1", "tools/list", "{}")).Answer(jsonBody(done("1"))))},
		{code: "session-header-unknown", name: "mid-way", talks: talks(on(1, 0).Ask(list("1", "s")).Answer(jsonBody(done("1")))), want: "info"},
		{code: "session-header-unknown", name: "opened here", talks: talks(session())},
		{code: "session-id-illegal", name: "space", talks: talks(open(on(1, 0), "a b", "2025-11-25")), want: "error", says: "0x20"},
		{code: "session-id-illegal", name: "visible", talks: talks(session())},
		{code: "session-expired-404", name: "404", talks: talks(session().Wait(s).Ask(list("1", "s")).Answer(gone())), want: "info"},
		{code: "session-expired-404", name: "no session", talks: talks(legacy().Answer(gone()))},
		{code: "no-reinit-after-404", name: "goes on", talks: talks(session().Wait(s).Ask(list("1", "s")).Answer(gone()).Ask(list("2", "s")).Answer(gone()).Ask(list("3", "s")).Answer(gone())), want: "error"},
		{code: "no-reinit-after-404", name: "starts anew", talks: talks(session().Wait(s).Ask(list("1", "s")).Answer(gone()), open(on(2, 2*s), "t", "2025-11-25"))},
		{code: "session-after-delete", name: "goes on", talks: talks(session().Ask(remove("s")).Answer(status(200, "text/plain", "")).Wait(s).Ask(list("1", "s")).Answer(gone())), want: "warn"},
		{code: "session-after-delete", name: "refused", talks: talks(session().Ask(remove("s")).Answer(status(405, "text/plain", "")).Wait(s).Ask(list("1", "s")).Answer(jsonBody(done("1"))))},
		{code: "session-not-sticky", name: "in turn", talks: talks(session().Ask(list("1", "s")).Answer(gone()).Ask(list("2", "s")).Answer(jsonBody(done("2"))).Ask(list("3", "s")).Answer(gone()).Ask(list("4", "s")).Answer(jsonBody(done("4")))), want: "error", says: "2 times"},
		{code: "session-not-sticky", name: "401 for a session", talks: talks(session().Ask(list("1", "s")).Answer(status(401, "text/plain", "?")).Ask(list("2", "s")).Answer(jsonBody(done("2")))), want: "error"},
		{code: "session-not-sticky", name: "new credentials", talks: talks(session().Ask(list("1", "s")).Answer(status(401, "text/plain", "?", "WWW-Authenticate: Bearer")).Ask(list("2", "s")).Answer(jsonBody(done("2"))))},
		{code: "session-not-sticky", name: "expired once", talks: talks(session().Ask(list("1", "s")).Answer(jsonBody(done("1"))).Ask(list("2", "s")).Answer(gone()).Ask(list("3", "s")).Answer(gone()))},
		{code: "auth-not-sticky", name: "in turn", talks: talks(withToken(session(), 401, 200, 401, 200)), want: "warn"},
		{code: "auth-not-sticky", name: "expired once", talks: talks(withToken(session(), 200, 200, 401, 401))},
		{code: "server-restart", name: "three at once", talks: many(3, func(i int) *talk {
			return used(i).Wait(10*s).Ask(listen(in(fmt.Sprint("s", i))...)).Answer(sse).Wait(s).End(server, rst)
		}), want: "warn", says: "3 sessions"},
		{code: "server-restart", name: "an hour apart", talks: many(3, func(i int) *talk {
			k := used(i).Wait(10*s).Ask(listen(in(fmt.Sprint("s", i))...)).Answer(sse).Wait(s).End(server, rst)
			k.Start = k.Start.Add(time.Duration(i) * time.Hour)
			return k
		})},
		{code: "reconnect-storm", name: "streams", talks: many(12, func(i int) *talk { return get(on(uint16(i+1), time.Duration(i)*s/4), status(503, "text/plain", "no")) }), want: "warn", says: "12 GET streams"},
		{code: "reconnect-storm", name: "with pauses", talks: many(12, func(i int) *talk {
			return get(on(uint16(i+1), time.Duration(i)*15*s/4), status(503, "text/plain", "no"))
		})},
		{code: "reconnect-storm", name: "many clients", talks: many(12, func(i int) *talk {
			return on(uint16(i+1), time.Duration(i)*s/4).Ask(listen(in(fmt.Sprint("s", i))...)).Answer(sse, last)
		})},
		{code: "session-refused-delete", name: "405", talks: talks(session().Ask(remove("s")).Answer(status(405, "text/plain", ""))), want: "info"},
		{code: "session-refused-delete", name: "200", talks: talks(session().Ask(remove("s")).Answer(status(200, "text/plain", "")))},
		{code: "session-not-deleted", name: "left", talks: talks(session().Wait(s).End(client, fin)), want: "info"},
		{code: "session-not-deleted", name: "deleted", talks: talks(session().Ask(remove("s")).Answer(status(200, "text/plain", "")).End(client, fin))},

		{code: "version-header-missing", name: "older", talks: talks(session().Ask(ask("1", "tools/list", "{}", "Mcp-Session-Id: s")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "version-header-missing", name: "before there was one", talks: talks(open(on(1, 0), "s", "2025-03-26").Ask(ask("1", "tools/list", "{}", "Mcp-Session-Id: s")).Answer(jsonBody(done("1"))))},
		{code: "version-mismatch", name: "older", talks: talks(open(on(1, 0), "s", "2025-06-18").Ask(list("1", "s")).Answer(jsonBody(done("1")))), want: "warn"},
		{code: "version-mismatch", name: "modern", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Version: 2026-07-28", "Version: 2027-01-01")).Answer(jsonBody(done("1")))), want: "error"},
		{code: "version-mismatch", name: "refused", talks: talks(on(1, 0).Ask(swap(payModern("1"), "Version: 2026-07-28", "Version: 2027-01-01")).Answer(status(400, "application/json", `{"jsonrpc":"2.0","id":1,"error":{"code":-32020,"message":"x"}}`))), want: "info"},
		{code: "version-mismatch", name: "equal", talks: talks(answered())},
		{code: "batch-not-allowed", name: "2025-11-25", talks: talks(session().Ask(capturetest.Post("/mcp", "["+capturetest.Call("1", "tools/list", "{}")+"]", in("s")...)).Answer(jsonBody("[" + done("1") + "]"))), want: "error"},
		{code: "batch-not-allowed", name: "2025-03-26", talks: talks(open(on(1, 0), "s", "2025-03-26").Ask(capturetest.Post("/mcp", "["+capturetest.Call("1", "tools/list", "{}")+"]", "Mcp-Session-Id: s")).Answer(jsonBody("[" + done("1") + "]")))},
		{code: "id-null", name: "null", talks: talks(on(1, 0).Ask(ask("null", "tools/list", "{}")).Answer(jsonBody(done("null")))), want: "error"},
		{code: "id-null", name: "zero", talks: talks(on(1, 0).Ask(ask("0", "tools/list", "{}")).Answer(jsonBody(done("0"))))},
		{code: "id-reused", name: "in a session", talks: talks(session().Ask(list("1", "s")).Answer(jsonBody(done("1"))).Ask(ask("1", "prompts/list", "{}", in("s")...)).Answer(jsonBody(done("1")))), want: "error"},
		{code: "id-reused", name: "new ones", talks: talks(session().Ask(list("1", "s")).Answer(jsonBody(done("1"))).Ask(list("2", "s")).Answer(jsonBody(done("2"))))},
		{code: "initialize-cancelled", name: "cancelled", talks: talks(initialize(on(1, 0)).Wait(3*s).Answer(jsonBody(done("0"))), on(2, s).Ask(note("notifications/cancelled", `{"requestId":0}`)).Answer(accepted)), want: "error"},
		{code: "initialize-cancelled", name: "another call", talks: talks(legacy().Wait(3*s).Answer(jsonBody(done("1"))), on(2, s).Ask(note("notifications/cancelled", `{"requestId":1}`)).Answer(accepted))},
		{code: "requests-before-initialized", name: "too early", talks: talks(initialize(on(1, 0)).Wait(3*s).Answer(jsonBody(done("0"))), on(2, s).Ask(ask("1", "tools/list", "{}")).Answer(jsonBody(done("1")))), want: "warn"},
		{code: "requests-before-initialized", name: "ping", talks: talks(initialize(on(1, 0)).Wait(3*s).Answer(jsonBody(done("0"))), on(2, s).Ask(ask("1", "ping", "{}")).Answer(jsonBody(done("1"))))},
		{code: "auth-challenge", name: "401", talks: talks(legacy().Answer(status(401, "text/plain", "who", "WWW-Authenticate: Bearer"))), want: "info"},
		{code: "auth-challenge", name: "200", talks: talks(legacy().Answer(jsonBody(done("1"))))},
		{code: "undecodable-encoding", name: "unknown", talks: talks(legacy().Answer(status(200, "application/json", "this is no gzip at all", "Content-Encoding: gzip"))), want: "info"},
		{code: "undecodable-encoding", name: "none", talks: talks(legacy().Answer(jsonBody(done("1"))))},
	})
}
