package analyze

import (
	"time"
)

func init() {
	s := time.Second
	// silent streams end after this long, given by i.
	each := func(n int, kind func(i int, k *talk) *talk) []*talk {
		return many(n, func(i int) *talk {
			return kind(i, on(uint16(i+1), time.Duration(i)*1000*s).Ask(modern(itoa(i), "tools/call", "pay", `"arguments":{"amount":`+itoa(i)+`}`)))
		})
	}
	idle := func(d time.Duration) func(int, *talk) *talk {
		return func(i int, k *talk) *talk {
			return k.Answer(sse).Wait(time.Duration(i+1)*7*s).Answer(event(progress)).Wait(d+time.Duration(i)*50*time.Millisecond).End(server, rst)
		}
	}
	ruleChecks = append(ruleChecks, []check{
		{code: "slow-first-byte", name: "slow", talks: talks(call().Wait(6 * s).Answer(jsonBody(done("1")))), want: "warn"},
		{code: "slow-first-byte", name: "soon", talks: talks(answered())},
		{code: "slow-answer", name: "slow", talks: talks(call().Answer(sse).Wait(40*s).Answer(event(done("1")), last)), want: "info"},
		{code: "slow-answer", name: "soon", talks: talks(answered())},
		{code: "keepalive-gap", name: "silent", talks: talks(call().Answer(sse, event(progress)).Wait(70*s).Answer(event(done("1")), last)), want: "warn"},
		{code: "keepalive-gap", name: "comments", talks: talks(call().Answer(sse, event(progress)).Wait(40*s).Answer(chunk(":k\n\n")).Wait(40*s).Answer(event(done("1")), last))},
		{code: "idle-cut", name: "60 s", talks: each(4, idle(60*s)), want: "warn", says: "4 of 4 breaks 60.1 ± 0.1 s after the last byte, none on streams with comments"},
		{code: "idle-cut", name: "comments do not help", talks: each(3, func(i int, k *talk) *talk {
			k.Answer(sse).Wait(time.Duration(i+1) * 7 * s).Answer(event(progress))
			for range 3 - i {
				k.Wait(10 * s).Answer(chunk(":k\n\n"))
			}
			return k.Wait(time.Duration(30+10*i)*s).End(server, rst)
		}), want: "warn", says: "60.0 ± 0.0 s after the last event; comments did not help"},
		{code: "idle-cut", name: "any time", talks: each(4, func(i int, k *talk) *talk { return k.Answer(sse).Wait(time.Duration(i*i+3)*s).End(server, rst) })},
		{code: "idle-cut", name: "two", talks: each(2, idle(60*s))},
		{code: "duration-cut", name: "same age", talks: each(3, func(i int, k *talk) *talk {
			n := time.Duration(i+1) * 13 * s
			return k.Answer(sse).Wait(n).Answer(event(progress)).Wait(100*s-n).End(server, rst)
		}), want: "warn", says: "100.0 ± 0.0 s after the request"},
		{code: "duration-cut", name: "same silence", talks: each(4, idle(60*s))},
		{code: "client-timeout", name: "30 s", talks: each(3, func(i int, k *talk) *talk { return k.Answer(sse).Wait(30*s).End(client, fin) }), want: "info", says: "closes by the client 30.0"},
		{code: "client-timeout", name: "answered", talks: each(3, func(i int, k *talk) *talk { return k.Answer(sse, event(done(itoa(i)))).Wait(30*s).End(client, fin) })},
		{code: "gateway-timeout", name: "60 s", talks: each(3, func(i int, k *talk) *talk { return k.Wait(60 * s).Answer(status(504, "text/html", "gateway")) }), want: "warn"},
		{code: "gateway-timeout", name: "at any time", talks: each(3, func(i int, k *talk) *talk {
			return k.Wait(time.Duration(1+3*i) * s).Answer(status(504, "text/html", "gateway"))
		})},
		{code: "keepalive-race", name: "reset", talks: talks(answered().Wait(5*s).Ask(payModern("2")).End(server, rst)), want: "warn"},
		{code: "keepalive-race", name: "fresh", talks: talks(call().End(server, rst))},
		{code: "head-withheld", name: "withheld", talks: each(3, func(i int, k *talk) *talk { return k.Wait(3*s).Answer(sse+event(done(itoa(i))), last) }), want: "info"},
		{code: "head-withheld", name: "at once", talks: each(3, func(i int, k *talk) *talk { return k.Answer(sse).Wait(3*s).Answer(event(done(itoa(i))), last) })},
		{code: "buffered-stream", name: "burst", talks: talks(call().Answer(sse).Wait(2*s).Answer(event(progress)+event(progress)+event(done("1")), last)), want: "warn"},
		{code: "buffered-stream", name: "as they came", talks: talks(call().Answer(sse, event(progress)).Wait(s).Answer(event(progress)).Wait(s).Answer(event(done("1")), last))},
		{code: "handshake-cost", name: "held", talks: talks(on(1, 0).Ask(ask("1", "initialize", `{"protocolVersion":"2025-06-18"}`)).Wait(2 * s).Answer(jsonBody(done("1")))), want: "info", says: "2 s"},
		{code: "handshake-cost", name: "quick", talks: talks(open(on(1, 0), "s", "2025-06-18"))},
		{code: "clock-step", name: "forth", talks: talks(answered(), again(2*s, "2"))},
	})
}
