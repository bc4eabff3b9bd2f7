package analyze

import (
	"math/rand/v2"
	"testing"
)

// TestRepeats: what is asked for once is no repeat, and what is asked for more often is, however often.
func TestRepeats(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		a := New(Options{})
		count := map[wish]int{}
		for range r.IntN(30) {
			c := &Case{facts: &facts{}}
			c.asks, c.ask = r.IntN(5) > 0, wish{byte(r.IntN(8))}
			if a.cases = append(a.cases, c); c.asks {
				count[c.ask]++
			}
		}
		a.findRepeats()
		for _, c := range a.cases {
			if got, want := a.repeats.has(c), c.asks && count[c.ask] > 1; got != want {
				t.Fatalf("%v (asks %v): %v, want %v", c.ask, c.asks, got, want)
			}
		}
	}
}
