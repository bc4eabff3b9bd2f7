package serve

import "time"

// injected is an event for the GET stream of a session that is not recorded there.
type injected struct {
	due  time.Time
	gate *gate // behind which the recorded answer stands; nil: text
	as   resolver
	play *Play
	text []byte
}

func (l *live) push(x injected) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.inject) < maxInjected {
		l.inject = append(l.inject, x)
		l.touch()
	}
}

// maxInjected bounds the events that wait for a GET stream.
const maxInjected = 1000

// injections sends the events of the session that are due and not in the recording. It returns when the next one is due.
func (x *player) injections() (next time.Time, ok bool) {
	if !x.legacy() {
		return time.Time{}, true
	}
	for {
		x.l.mu.Lock()
		k := -1
		for i, j := range x.l.inject {
			if k < 0 || j.due.Before(x.l.inject[k].due) {
				k = i
			}
		}
		if k < 0 {
			x.l.mu.Unlock()
			return time.Time{}, true
		}
		j := x.l.inject[k]
		if time.Now().Before(j.due) {
			x.l.mu.Unlock()
			return j.due, true
		}
		x.l.inject = append(x.l.inject[:k], x.l.inject[k+1:]...)
		x.l.mu.Unlock()
		if j.gate != nil {
			j.text = x.event(j.gate, j.as)
		}
		if x.out.extra(x, j.text) != nil {
			return time.Time{}, false
		}
		if j.play != nil {
			j.play.answered()
		}
	}
}

// answerOf returns the gate behind which a recorded stream answers the call of e.
func (r *Recording) answerOf(e *entry) (*gate, bool) {
	for _, s := range r.entries {
		if s.rd.Endpoint == "" || s.session != e.session {
			continue
		}
		p := r.planOf(s)
		for i := range p.gates {
			if p.gates[i].after == e {
				return &p.gates[i], true
			}
		}
	}
	return nil, false
}
