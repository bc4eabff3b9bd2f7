package analyze

import (
	"net/netip"
	"sort"
	"strings"

	"mcptrace/capture"
)

// callKey is what equal calls have in common: where they were sent, what they ask for, and who sent them, by session or
// by address.
type callKey struct {
	where   capture.Endpoint
	ask     wish
	session *Session
	client  netip.Addr
}

// attempts are the calls with one callKey: those that may turn out to be the first attempt of a later one, in time
// order, and when all of them were in flight.
type attempts struct {
	waiting []attempt
	starts  []capture.Instant // ascending
	open    endings
}

// attempt is a call that may be repeated later.
type attempt struct {
	c      *Case
	equal  *attempts // the equal calls of its session
	index  int       // in equal.starts
	beside int       // equal calls in flight when it was sent
}

// lookBack bounds how many earlier attempts are compared with a call: with more, who repeats whom is a guess anyway.
const lookBack = 64

// attempt takes note of one more call of a session.
func (t *attempts) attempt(c *Case, a *Analyzer) attempt {
	x := attempt{c, t, len(t.starts), t.open.begin(c.Start, c.endOrLast(a))}
	t.starts = append(t.starts, c.Start)
	return x
}

// candidates drops those that can no longer be a first attempt and returns the oldest others, lookBack at most.
func (t *attempts) candidates(a *Analyzer, at capture.Instant) []attempt {
	n := min(len(t.waiting), lookBack)
	kept := n
	for i := n - 1; i >= 0; i-- {
		if !a.spent(t.waiting[i].c, at) {
			kept--
			t.waiting[kept] = t.waiting[i]
		}
	}
	t.waiting = t.waiting[kept:]
	return t.waiting[:n-kept]
}

// fanOut counts the equal calls that were in flight together with x, itself included: many are meant to be.
func (x attempt) fanOut(a *Analyzer) int {
	last := x.c.endOrLast(a)
	starts := x.equal.starts
	later := sort.Search(len(starts), func(i int) bool { return starts[i] > last }) - x.index - 1
	return x.beside + 1 + max(0, later)
}

// spent reports whether f can no longer be the first attempt of a call sent at that time or later.
func (a *Analyzer) spent(f *Case, at capture.Instant) bool {
	switch {
	case f.RepeatedBy != nil, expectedRepeat(f):
		return true
	case f.over() == 0:
		// It is in flight for good: a repeat counts from its start, and an answer settles it.
		return f.Start+capture.Instant(a.opt.Window) < at || f.answered && f.at(f.answerAt) <= at
	case f.over()+capture.Instant(a.opt.Window) < at:
		return true
	case f.HTTP.Status == 404 && f.Header.Session != "", f.HTTP.Status == 429, f.HTTP.Status >= 500:
		return false
	case f.HTTP.Status >= 400:
		return true
	}
	if f.over() > at || !f.answered || f.at(f.answerAt) > at {
		return false
	}
	return !a.classifyAnswered(&Link{}, f, true)
}

// findReissues matches second attempts to first ones, one to one and in time order. Repeats that the
// protocol itself asks for are none.
func (a *Analyzer) findReissues() {
	a.countBeside()
	byKey := map[callKey]*attempts{}
	at := func(k callKey) *attempts {
		t := byKey[k]
		if t == nil {
			t = &attempts{}
			byKey[k] = t
		}
		return t
	}
	for c := range a.each(a.cases) {
		if !a.repeats.has(c) || c.HopOf != nil || c.HTTP.Method != "POST" && c.Proto() != "stdio" || strings.HasPrefix(c.method(), "tasks/") || !c.alone() {
			continue
		}
		key := callKey{where: c.endpoint(), ask: c.ask}
		key.session = c.Group
		mine := at(key)
		key.session, key.client = nil, c.Conn.Client.Addr()
		moved := at(key)
		a.match(c, mine, moved)
		x := mine.attempt(c, a)
		mine.waiting, moved.waiting = append(mine.waiting, x), append(moved.waiting, x)
	}
}

// match looks for the first attempt that c repeats: in its session, else by its client in a session that has ended.
func (a *Analyzer) match(c *Case, mine, moved *attempts) {
	for _, x := range mine.candidates(a, c.Start) {
		if a.try(x, c) {
			return
		}
	}
	for _, x := range moved.candidates(a, c.Start) {
		if x.c.Group != c.Group && a.try(x, c) {
			return
		}
	}
}

// try links c to x if it repeats it.
func (a *Analyzer) try(x attempt, c *Case) bool {
	l := a.link(x.c, c, x.fanOut(a) >= parallel)
	if l == nil {
		return false
	}
	c.tie().Reissue, x.c.tie().RepeatedBy = l, c
	return true
}
