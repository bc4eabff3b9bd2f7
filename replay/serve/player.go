package serve

import (
	"time"

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
	if x.end.at >= 0 && x.end.kind != endHold && !x.complete() && !x.sleep(x.due(x.end.at), p.border(x.stop)) {
		return x.left()
	}
	x.play.ended(x.end.kind, p.wordFor(x.stop))
	return true
}

// complete reports whether the last byte, which was sent, was the end: then it does not matter whether the client is still
// there.
func (x *player) complete() bool {
	return x.end.kind == endClean && time.Until(x.due(x.end.at)) <= 0
}

// due returns the moment for what was recorded at, since the request's end.
func (x *player) due(at time.Duration) time.Time { return x.start.Add(x.s.scaled(at) + x.shift) }

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

// legacy reports whether this is the GET stream of the 2024-11-05 transport, on which all answers come.
func (x *player) legacy() bool { return x.e.rd.Endpoint != "" }

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
