package serve

import (
	"sort"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// sink is where a player puts what it plays.
type sink interface {
	// write sends what stands for the recorded bytes [from, to) of Wire.
	write(x *player, from, to int64) error
	// extra sends an event that is not in the recording at this place.
	extra(x *player, event []byte) error
	// left is closed when the client has gone.
	left() <-chan struct{}
}

// player plays one response to one client.
type player struct {
	s     *Server
	l     *live
	e     *entry
	play  *Play
	plan  *plan
	take  *take
	out   sink
	skip  int64 // bytes at the beginning that are not sent: the client was told to continue already
	stop  int64
	end   ending
	start time.Time
	shift time.Duration // how much later than recorded everything is, at the speed of the server
	told  int           // gates whose answers have been sent
}

// prepare takes note that a request for e has come.
func (s *Server) prepare(l *live, e *entry, q *request) *Play {
	p := s.log.begin(l, e, q)
	if last := q.header("Last-Event-ID"); last != "" {
		s.log.resume(s.rec, l, p, last)
	}
	for i := range q.rd.Calls {
		if c := &q.rd.Calls[i]; c.Method == "notifications/cancelled" {
			s.log.cancel(l, string(c.CancelID))
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	legacy := s.rec.legacy(l.recorded)
	if legacy && p.call && len(l.calls) < maxInjected {
		l.calls = append(l.calls, p)
	}
	if _, again := l.begun[e]; again && legacy { // its recorded answer is for an earlier request: this one gets a copy
		if g, ok := s.rec.answerOf(e); ok && len(l.inject) < maxInjected {
			l.inject = append(l.inject, injected{due: q.at.Add(s.scaled(g.delay)), gate: g, as: newView(l, e, q), play: p})
		}
	} else {
		l.learn(e, q)
		l.plays[e] = p
	}
	l.touch()
	return p
}

func (s *Server) newPlayer(l *live, e *entry, q *request, p *Play, first bool, out sink) *player {
	x := &player{s: s, l: l, e: e, play: p, plan: s.rec.planFor(e, out), out: out, start: q.at}
	x.stop, x.end = x.plan.stop, x.plan.end
	if first {
		for i := range s.opt.Cuts {
			if stop, end, ok := s.opt.Cuts[i].apply(e, x.plan); ok {
				x.stop, x.end, p.Cut = stop, end, true
				break
			}
		}
	}
	l.mu.Lock()
	if h := q.header("Host"); h != "" {
		l.origin = s.scheme() + "://" + h
	}
	l.mu.Unlock()
	x.take = newTake(x.plan, newView(l, e, q))
	if q.sent {
		x.skip = x.plan.continued()
	}
	return x
}

func (s *Server) scheme() string {
	if s.tls != nil {
		return "https"
	}
	return "http"
}

// continued returns the length of the 100 (Continue) with which the recorded response begins.
func (p *plan) continued() int64 {
	if p.m.HeadStart == 0 {
		return 0
	}
	h, n, err := http1.ParseHead(p.m.Wire.Bytes(0, p.m.HeadStart), false)
	if err != nil || h.Status != 100 {
		return 0
	}
	return int64(n)
}

func (p *plan) chunked() bool { return p.m.Head != nil && p.m.Head.Framing == http1.Chunked }

func (x *player) close() { x.take.close() }

// run plays up to the end, or to the cut, and waits for the moment of the ending. False: the client has gone.
func (x *player) run() bool {
	p := x.plan
	for off := x.skip; off < x.stop; {
		at, later := p.gatesAt(off)
		for i := range at {
			if !x.pass(&at[i], later) {
				return x.left()
			}
		}
		if len(at) == 1 && x.done(&at[0]) && at[0].over > off && at[0].over <= x.stop {
			x.take.bytes(nil, off, at[0].over)
			off = at[0].over
			continue
		}
		to := p.next(off, x.stop)
		if !x.sleep(x.due(p.at(off)), p.border(off)) || x.out.write(x, off, to) != nil {
			return x.left()
		}
		off = to
		x.sent(off)
	}
	if x.end.at >= 0 && x.end.kind != endHold && !x.sleep(x.due(x.end.at), p.border(x.stop)) {
		return x.left()
	}
	x.play.ended(x.end.kind, p.wordFor(x.stop))
	return true
}

// due returns the moment for what was recorded at, since the request's end.
func (x *player) due(at time.Duration) time.Time { return x.start.Add(x.s.scaled(at) + x.shift) }

// gatesAt returns the gates at off, and those behind it.
func (p *plan) gatesAt(off int64) (at, later []gate) {
	i := sort.Search(len(p.gates), func(i int) bool { return p.gates[i].off >= off })
	j := i
	for j < len(p.gates) && p.gates[j].off == off {
		j++
	}
	return p.gates[i:j], p.gates[j:]
}

// sent takes note what the client has by now.
func (x *player) sent(off int64) {
	p := x.plan
	x.play.sent(p.bodyBefore(off))
	if p.answer >= 0 && off >= p.answer && x.e.owesAnswer() {
		x.play.answered()
	}
	for ; x.told < len(p.gates) && off >= p.gates[x.told].mark.wireEnd; x.told++ {
		x.answered(&p.gates[x.told])
	}
}

// answered takes note that the answer behind a gate has been sent for the latest request of its call.
func (x *player) answered(g *gate) {
	x.l.mu.Lock()
	first := !x.l.passed[g.after]
	x.l.passed[g.after] = true
	p := x.l.plays[g.after]
	x.l.mu.Unlock()
	if first && p != nil && p.call {
		p.answered()
	}
}

// done reports whether the answer behind a gate has been sent before its turn.
func (x *player) done(g *gate) bool {
	x.l.mu.Lock()
	defer x.l.mu.Unlock()
	return x.legacy() && x.l.passed[g.after]
}

// legacy reports whether this is the GET stream of the 2024-11-05 transport, on which all answers come.
func (x *player) legacy() bool { return x.e.rd.Endpoint != "" }

// pass waits until the client has sent what the bytes behind the gate refer to. Meanwhile the answers behind later gates
// are sent if their calls are there: another client may call in another order.
func (x *player) pass(g *gate, later []gate) bool {
	for {
		x.l.mu.Lock()
		at, ok := x.l.begun[g.after]
		changed := x.l.changed
		x.l.mu.Unlock()
		if x.done(g) {
			return true
		}
		if ok && !x.legacy() && at.Before(x.start) {
			return true // a resumed stream keeps its own time
		}
		if ok {
			x.shift = at.Add(x.s.scaled(g.delay)).Sub(x.start) - x.s.scaled(x.plan.at(g.off))
			return true
		}
		due, ok := x.ahead(later)
		if !ok {
			return false
		}
		if !x.await(changed, due) {
			return false
		}
	}
}

// ahead sends what is due out of turn and returns when more will be; zero: it is not known. False: the client has gone.
func (x *player) ahead(later []gate) (time.Time, bool) {
	due, ok := x.injections()
	if !ok || !x.legacy() {
		return due, ok
	}
	for i := range later {
		g := &later[i]
		x.l.mu.Lock()
		at, begun := x.l.begun[g.after]
		passed := x.l.passed[g.after]
		x.l.mu.Unlock()
		if !begun || passed || g.over == 0 {
			continue
		}
		when := at.Add(x.s.scaled(g.delay))
		if time.Now().Before(when) {
			if due.IsZero() || when.Before(due) {
				due = when
			}
			continue
		}
		if x.out.extra(x, x.event(g, x.take.as)) != nil {
			return due, false
		}
		x.answered(g)
	}
	return due, true
}

// event returns the event behind a gate with the ids of this client.
func (x *player) event(g *gate, v resolver) []byte {
	var es edits
	for _, s := range x.plan.sites {
		if s.from >= g.mark.start && s.to <= g.mark.end {
			es.add(edit{s.from, s.to, []byte(v.value(s.kind, s.raw))})
		}
	}
	return es.render(nil, g.mark.start, g.mark.end, func(dst []byte, a, b int64) []byte {
		x.plan.m.Pieces(func(p *capture.Piece) bool {
			from, to := max(a, p.Start), min(b, p.Start+int64(len(p.Data)))
			if from < to {
				dst = append(dst, p.Data[from-p.Start:to-p.Start]...)
			}
			return p.Start < b
		})
		return dst
	})
}

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

// sleep waits for a moment; at a border of the stream it sends what is due out of turn meanwhile. False: the client has
// gone, or the server closes.
func (x *player) sleep(until time.Time, border bool) bool {
	select {
	case <-x.out.left():
		return false
	default:
	}
	for {
		x.l.mu.Lock()
		changed := x.l.changed
		x.l.mu.Unlock()
		due := until
		if border {
			next, ok := x.injections()
			if !ok {
				return false
			}
			if !next.IsZero() && next.Before(due) {
				due = next
			}
		} else {
			changed = nil
		}
		if time.Until(until) <= 0 {
			return true
		}
		if !x.await(changed, due) {
			return false
		}
	}
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
	border := x.plan.border(x.stop)
	for {
		x.l.mu.Lock()
		changed := x.l.changed
		x.l.mu.Unlock()
		due := until
		if border {
			next, ok := x.injections()
			if !ok {
				return x.left()
			}
			if !next.IsZero() && (due.IsZero() || next.Before(due)) {
				due = next
			}
		} else {
			changed = nil
		}
		if !until.IsZero() && time.Until(until) <= 0 {
			return true
		}
		if !x.await(changed, due) {
			return x.left()
		}
	}
}

// left takes note that the client has gone, if it has, and returns false.
func (x *player) left() bool {
	select {
	case <-x.s.done:
	default:
		x.play.left()
	}
	return false
}

// spread makes the fate of a 2024-11-05 stream that of the calls which were answered, or would have been, on it.
func (x *player) spread() {
	if !x.legacy() {
		return
	}
	x.l.mu.Lock()
	defer x.l.mu.Unlock()
	for _, p := range x.l.calls {
		p.shared(x.play)
	}
}
