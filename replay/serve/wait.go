package serve

import "time"

// sleep waits for a moment; the zero one never comes. At a border of a 2024-11-05 stream it sends what is due out of turn
// meanwhile; other streams are not woken by what their session does. False: the client has gone, or the server closes.
func (x *player) sleep(until time.Time, border bool) bool {
	select {
	case <-x.out.left():
		return false
	default:
	}
	for {
		due := until
		var changed <-chan struct{}
		if border && x.legacy() {
			changed = x.l.changes()
			next, ok := x.injections()
			if !ok {
				return false
			}
			due = sooner(due, next)
		}
		if !until.IsZero() && time.Until(until) <= 0 {
			return true
		}
		if !x.await(changed, due) {
			return false
		}
	}
}

// sooner returns the earlier of two moments, of which the zero one never comes.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// await waits for a change of the session or for a moment, if that is not zero. False: the client has gone.
func (x *player) await(changed <-chan struct{}, due time.Time) bool {
	var timer <-chan time.Time
	if !due.IsZero() {
		t := time.NewTimer(time.Until(due))
		defer t.Stop()
		timer = t.C
	}
	select {
	case <-changed:
	case <-timer:
	case <-x.out.left():
		return false
	case <-x.s.done:
		return false
	}
	return true
}

// hold keeps the response open until the client leaves; true: it was to be held for a time that is over.
func (x *player) hold() bool {
	var until time.Time
	if x.end.hold > 0 {
		until = time.Now().Add(x.end.hold)
	}
	if !x.sleep(until, x.plan.border(x.stop)) {
		return x.left()
	}
	x.play.letGo()
	return true
}
