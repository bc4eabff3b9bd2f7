package analyze

import (
	"fmt"
	"testing"
	"time"
)

func TestFates(t *testing.T) {
	s := time.Second
	for _, c := range []struct {
		name string
		k    []*talk
		fate string
	}{
		{"acknowledged", talks(answered()), "delivered"},
		{"never acknowledged", talks(silentClient(answered())), "unknown"},
		{"client gone before", talks(call().Answer(sse).Wait(s).End(client, fin).Wait(s).Answer(event(done("1")), last)), "lost"},
		{"broken", talks(call().Answer(sse).Wait(s).End(server, rst)), "lost"},
		{"open", talks(call().Answer(sse)), "unknown"},
		{"closed for polling", talks(broken(0)), "unknown"},
		{"unframed", talks(call().Answer(sse, chunk("data: "+done("1")+"\n")).End(server, rst)), "lost"},
		{"401 with an error", talks(call().Answer(status(401, "application/json", failed("1", "-32001")))), "delivered"},
		{"subscription open", talks(on(1, 0).Ask(subscribe("")).Answer(sse)), "unknown"},
	} {
		a := judge(t, Options{}, s, c.k...)
		if got := a.Cases()[0].Fate(); got != c.fate {
			t.Errorf("%s: %s, want %s", c.name, got, c.fate)
		}
		tt := a.Totals
		if tt.Calls != tt.Delivered+tt.Lost+tt.Unknown {
			t.Errorf("%s: totals do not add up: %+v", c.name, tt)
		}
	}
}

// TestHops counts a call once that a gateway sends on: with another id, from another address, in another version of HTTP.
func TestHops(t *testing.T) {
	outer := func() *talk { return on(1, 0).Ask(payModern("1")).Wait(time.Second).Answer(jsonBody(done("1"))) }
	inner := func(result string, after, takes time.Duration) *talk {
		k := on(2, after)
		k.Client, k.Server = addr("198.51.100.20:5000"), addr("203.0.113.5:9000")
		return k.Ask(payModern("77")).Wait(takes).Answer(jsonBody(result))
	}
	// All on one host, where the addresses show no gateway.
	local := func(k *talk, port string) *talk {
		k.Client, k.Server = addr("127.0.0.1:5000"), addr("127.0.0.1:"+port)
		return k
	}
	lost := func() *talk { return on(1, 0).Ask(payModern("1")).Wait(time.Second).End(client, fin) }
	for _, c := range []struct {
		name  string
		talks []*talk
		hop   bool
	}{
		{"nested on one host", talks(local(outer(), "80"), local(inner(done("77"), 100*time.Millisecond, 500*time.Millisecond), "81")), true},
		{"beside a call without an answer on one host", talks(local(lost(), "80"), local(inner(done("77"), 100*time.Millisecond, 500*time.Millisecond), "81")), false},
		{"nested in a call without an answer", talks(lost(), inner(done("77"), 100*time.Millisecond, 500*time.Millisecond)), true},
		{"nested", talks(outer(), inner(done("77"), 100*time.Millisecond, 500*time.Millisecond)), true},
		{"another answer", talks(outer(), inner(`{"jsonrpc":"2.0","id":77,"result":{"resultType":"complete","content":[1]}}`, 100*time.Millisecond, 500*time.Millisecond)), false},
		{"later", talks(outer(), inner(done("77"), 2*time.Second, time.Second)), false},
		{"gateway gave up", talks(on(1, 0).Ask(payModern("1")).Wait(time.Second).Answer(status(504, "text/html", "x")), inner(done("77"), 100*time.Millisecond, 5*time.Second)), true},
	} {
		a := judge(t, Options{}, 0, c.talks...)
		second := a.Cases()[1]
		if (second.HopOf != nil) != c.hop {
			t.Errorf("%s: hop %v, want %v", c.name, second.HopOf != nil, c.hop)
		}
		if c.hop && (a.Totals.Calls != 1 || second.Reissue != nil || a.Logical.Calls != 1) {
			t.Errorf("%s: %d calls, re-issue %v", c.name, a.Totals.Calls, second.Reissue)
		}
	}
}

// TestTotals adds up a small incident.
func TestTotals(t *testing.T) {
	s := time.Second
	a := judge(t, Options{}, 0,
		call().Answer(sse, event(done("1"))).Wait(s).End(server, rst), again(2*s, "2"),
		on(3, 0).Ask(modern("3", "tools/call", "pay", `"arguments":{"amount":6}`)).Answer(sse, chunk("data: "+done("3")[:45])).Wait(s).End(server, rst),
		on(4, 0).Ask(modern("4", "tools/call", "pay", `"arguments":{"amount":7}`)).Answer(sse).Wait(s).End(client, fin),
		on(5, 0).Ask(modern("5", "tools/call", "pay", `"arguments":{"amount":8}`)).Answer(sse, event(done("5"))).End(client, fin),
	)
	got := a.Totals
	got.Hold, got.Blocked = 0, 0
	want := Totals{Exchanges: 5, Calls: 5, Delivered: 3, Lost: 2, LostExecuted: 1, Breaks: 3, BreaksByClient: 1, BreaksAfterAnswer: 1, ClientClosesAfterAnswer: 1, Reissues: 1, Duplicates: 1}
	if got != want {
		t.Errorf("%+v\nwant %+v", got, want)
	}
}

// TestPairing matches attempts one to one and in time order.
func TestPairing(t *testing.T) {
	s := time.Second
	lost := func(i int, session string) *talk {
		return on(uint16(i), time.Duration(i)*s/100).Ask(ask(itoa(i), "tools/call", pay, in(session)...)).Answer(sse).Wait(s).End(server, rst)
	}
	after := func(i int, session string) *talk {
		return on(uint16(i), time.Duration(i)*s).Ask(ask(itoa(i), "tools/call", pay, in(session)...)).Answer(jsonBody(done(itoa(i))))
	}
	a := judge(t, Options{}, 0, lost(1, "s"), lost(2, "t"), after(3, "t"), after(4, "t"), after(5, "s"), after(6, "s"))
	for i, of := range map[int]int{2: 2, 3: 0, 4: 1, 5: 0} {
		got := 0
		if l := a.Cases()[i].Reissue; l != nil {
			got = l.Of.ID
		}
		if got != of {
			t.Errorf("exchange %d repeats %d, want %d", i+1, got, of)
		}
	}
}

// TestSessionLife follows a session from its opening to its end.
func TestSessionLife(t *testing.T) {
	s := time.Second
	k := open(on(1, 0), "s", "2025-11-25").Ask(listen(in("s")...)).Answer(status(405, "text/plain", "no")).Wait(s).
		Ask(list("1", "s")).Answer(jsonBody(done("1"))).Wait(s).Ask(remove("s")).Answer(status(200, "text/plain", "")).Wait(s).Ask(list("2", "s")).Answer(gone())
	a := judge(t, Options{}, 0, k)
	x := a.Sessions[0]
	if x.Stream != "refused" || x.Expired != 1 || x.Deleted == 0 || x.ExpiredAt <= x.Deleted || x.Handshake < 0 || x.Handshake > s {
		t.Errorf("%+v", x)
	}
	if life := x.End.Sub(x.Start); life < 3*s || life > 4*s {
		t.Errorf("lived %v, want three seconds and a little", life)
	}
}

func TestLatencies(t *testing.T) {
	var ks []*talk
	for i := range 20 {
		ks = append(ks, on(uint16(i+1), time.Duration(i)*time.Minute).Ask(modern(itoa(i), "tools/call", "pay", `"arguments":{"amount":`+itoa(i)+`}`)).
			Wait(time.Duration(i+1)*100*time.Millisecond).Answer(jsonBody(done(itoa(i)))))
	}
	ks = append(ks, on(99, time.Hour).Ask(safeCall("99")).Wait(time.Second).End(server, rst))
	ls := judge(t, Options{}, 0, ks...).Latencies()
	if len(ls) != 2 || ls[0].Method != "tools/call" || ls[0].Name != "pay" || ls[0].Calls != 20 || ls[1].Answered != 0 || ls[1].Calls != 1 {
		t.Fatalf("%+v", ls)
	}
	for _, c := range []struct{ got, want time.Duration }{{ls[0].P50, time.Second}, {ls[0].P95, 1900 * time.Millisecond}, {ls[0].Max, 2 * time.Second}} {
		if d := c.got - c.want; d < -time.Millisecond || d > time.Millisecond {
			t.Errorf("%v, want %v", c.got, c.want)
		}
	}
}

// TestClaims says what hints and keys tell of a second run.
func TestClaims(t *testing.T) {
	s := time.Second
	tools := `{"resultType":"complete","tools":[{"name":"pay","inputSchema":{},"annotations":{%s}}]}`
	for _, c := range []struct{ hint, key1, key2, severity, says string }{
		{`"readOnlyHint":true`, "", "", "warn", "calls itself read-only"},
		{`"idempotentHint":true`, "", "", "warn", "calls itself idempotent"},
		{`"destructiveHint":true`, "", "", "error", "calls itself destructive"},
		{``, "k", "k", "error", "one idempotency key"},
		{``, "k", "l", "error", "keys differ"},
	} {
		pay := func(id, key string) string {
			return modern(id, "tools/call", "pay", `"arguments":{"amount":5}`, "Idempotency-Key: "+key)
		}
		a := judge(t, Options{}, 0,
			on(9, 0).Ask(safeCall("9")).Answer(jsonBody(fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"result":`+tools+`}`, c.hint))),
			on(1, s).Ask(pay("1", c.key1)).Answer(sse, event(done("1"))).Wait(s).End(server, rst), on(2, 3*s).Ask(pay("2", c.key2)).Answer(jsonBody(done("2"))))
		f, ok := found(a, "reissue-after-delivery")
		if !ok || f.Severity.String() != c.severity || !contains(f.Message, c.says) {
			t.Errorf("%+v: %s %s", c, f.Severity, f.Message)
		}
	}
}

// TestMany looks for loops over all pairs: a client that loses the same call again and again, in parallel, must not take
// quadratic time.
func TestMany(t *testing.T) {
	run := func(n int) time.Duration {
		ks := many(n, func(i int) *talk {
			k := on(uint16(i%60000+1), time.Duration(i)*time.Millisecond).Ask(payModern(itoa(i)))
			switch i % 3 {
			case 0:
				return k.Answer(sse, event(done(itoa(i+1)))) // another's answer, open
			case 1:
				return k.Answer(sse).Wait(time.Second).End(server, rst)
			}
			return k.Answer(jsonBody(done(itoa(i))))
		})
		best := time.Hour
		for range 2 {
			start := time.Now()
			judge(t, Options{}, 0, ks...)
			best = min(best, time.Since(start))
		}
		return best
	}
	if small, large := run(400), run(3200); large > 40*small {
		t.Errorf("8 times the exchanges took %.0f times as long", float64(large)/float64(small))
	}
}
