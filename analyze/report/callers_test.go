package report

import (
	"strings"
	"testing"

	"mcptrace/analyze"
)

// TestLeadCountsCalls: what was lost, issued again and answered is no lost call.
func TestLeadCountsCalls(t *testing.T) {
	lead := newDocument(incident(t, 6), Options{}).Lead
	for i, want := range []string{
		"6 calls of 1 session went to the server 198.51.100.20:8080 in 12 requests, and all were answered; 6 responses broke before the answer.",
		"How bad: 6 calls may have run twice, none for certain (not known to be safe to repeat); no call was lost; 6 attempts were lost, but all their calls were answered by others.",
		"6 second attempts probably repeat earlier ones.",
	} {
		if !strings.HasSuffix(lead[i], want) {
			t.Errorf("%q does not end in %q", lead[i], want)
		}
	}
}

func TestRanTwiceClause(t *testing.T) {
	for want, k := range map[string]callers{
		"no call is known to have run twice":                                                                              {},
		"1 call ran twice for certain (not known to be safe to repeat)":                                                   {ran: map[string]int{"certain": 1}, harmful: 1},
		"2 calls ran twice for certain, 1 more likely did, 3 more may have (2 of these 6 not known to be safe to repeat)": {ran: map[string]int{"certain": 2, "likely": 1, "possible": 3}, harmful: 2},
		"1 call likely ran twice, none for certain (safe to repeat)":                                                      {ran: map[string]int{"likely": 1}},
		"3 calls may have run twice, none for certain (safe to repeat)":                                                   {ran: map[string]int{"possible": 3}},
	} {
		if got := k.ranTwice(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestLostClause(t *testing.T) {
	for want, l := range map[string]analyze.LogicalTotals{
		"no call was lost":                                   {Calls: 2, Answered: 2},
		"no call is known to be lost":                        {Calls: 2, Answered: 1, Unknown: 1},
		"1 call got no answer":                               {Calls: 2, Answered: 1, Lost: 1},
		"1 call got no answer although it ran":               {Calls: 1, Lost: 1, RanAndLost: 1},
		"3 calls got no answer, 2 of them although they ran": {Calls: 3, Lost: 3, RanAndLost: 2},
	} {
		k := callers{LogicalTotals: l}
		if got := k.lostOnes(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestPlaces(t *testing.T) {
	for want, n := range map[string][3]int{
		" after the answer":                            {2, 0, 0},
		" before the answer":                           {0, 1, 0},
		" where no answer was owed":                    {0, 0, 1},
		" (4 after the answer, 6 before)":              {4, 6, 0},
		" (1 after the answer, 2 where none was owed)": {1, 0, 2},
	} {
		if got := places(n[0], n[1], n[2]); got != want {
			t.Errorf("%v: got %q, want %q", n, got, want)
		}
	}
}
