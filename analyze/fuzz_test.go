package analyze

import (
	"strings"
	"testing"
	"time"
)

// FuzzReport lets two sides say anything to each other, turn by turn: nothing may panic, and calls must add up.
func FuzzReport(f *testing.F) {
	for _, turns := range [][]string{
		{payModern("1"), sse, event(progress), event(done("1")), last},
		{ask("1", "tools/call", pay, in("s")...), sse + chunk(primed) + last, resume("7"), sse + event(done("1")) + last},
		{payModern("1"), jsonBody(input("1", `"a"`)), withState("2", `"b"`), jsonBody(done("2"))},
		{subscribe(`"toolsListChanged":true`), sse + tagged("notifications/subscriptions/acknowledged", "1") + tagged("x", "2")},
		{list("1", "s"), gone(), list("2", "s"), jsonBody(done("2")), remove("s"), status(200, "text/plain", ""), list("3", "s"), gone()},
		{note("notifications/cancelled", `{"requestId":1}`), accepted, payModern("1")},
	} {
		f.Add(strings.Join(turns, "\x1f"), byte(len(turns)))
	}
	f.Fuzz(func(t *testing.T, turns string, how byte) {
		first, second := on(1, 0), on(2, 2*time.Second)
		for i, text := range strings.SplitN(turns, "\x1f", 40) {
			k := first
			if how&8 != 0 && i > 1 {
				k = second
			}
			if i%2 == 0 {
				k.Ask(text)
			} else {
				k.Answer(text)
			}
			k.Wait(time.Duration(how) * time.Second)
		}
		if how&1 != 0 {
			first.End(server, rst)
		} else if how&2 != 0 {
			first.End(client, fin)
		}
		second.Ask(payModern("9")).Answer(jsonBody(done("9")))
		a := judge(t, Options{Optional: true}, time.Minute, first, second)
		if tt := a.Totals; tt.Calls != tt.Delivered+tt.Lost+tt.Unknown {
			t.Errorf("totals do not add up: %+v", tt)
		}
		for _, s := range a.Stories {
			if s.String() == "" || s.RanAtMost < s.RanAtLeast {
				t.Errorf("%+v", s)
			}
		}
		for _, x := range a.Findings {
			if x.Code == "" || x.Message == "" {
				t.Errorf("%+v", x)
			}
		}
		for _, c := range a.Cases() {
			a.Outcomes(c)
		}
	})
}
