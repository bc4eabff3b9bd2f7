package analyze

// repeats knows which requests ask for what another one asked for too. Most do not: they can be nobody's second attempt
// and no leg of a call through a gateway.
type repeats map[wish]bool

// findRepeats goes through the exchanges once.
func (a *Analyzer) findRepeats() {
	a.repeats = repeats{}
	for c := range a.each(a.cases) {
		if c.asks {
			_, again := a.repeats[c.ask]
			a.repeats[c.ask] = again
		}
	}
}

// has reports whether another exchange asks for the same as c.
func (r repeats) has(c *Case) bool { return c.asks && r[c.ask] }
