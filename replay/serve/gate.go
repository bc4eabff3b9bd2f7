package serve

import (
	"sort"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
)

// gate holds the stream back before off until the client has sent what the bytes from there on refer to.
type gate struct {
	off   int64
	after *entry
	delay time.Duration // from the end of that request to the bytes
	mark  mark          // the event that waits
	over  int64         // where the event is over, if nothing else stands before that place; 0: something does
}

// findGates finds the answers that must wait for a call which came with another request, and those that in the
// recording came after the client had answered a question of the server.
func (p *plan) findGates(r *Recording, e *entry) {
	own := map[string]bool{}
	for i := range e.rd.Calls {
		own[canonicalID(string(e.rd.Calls[i].ID))] = true
	}
	asked := ""
	for i := range e.rd.Messages {
		in := &e.rd.Messages[i]
		var f *entry
		at := e.ex.Start + capture.Instant(in.At)
		switch {
		case in.Kind == jsonrpc.Request:
			asked = canonicalID(string(in.ID))
		case in.IsResponse() && !own[canonicalID(string(in.ID))]:
			f = r.before(e, capture.KindRequest, canonicalID(string(in.ID)), at)
		case in.IsResponse() && asked != "":
			f = r.before(e, capture.KindResponse, asked, at)
			asked = ""
		}
		if f == nil {
			continue
		}
		end := f.ex.Start + capture.Instant(f.ex.RequestEnd())
		g := gate{off: p.cleave(p.wireOf(in.Start)), after: f, delay: max(0, at.Sub(end)), mark: mark{start: in.Start, end: in.End, wireEnd: in.WireEnd}}
		g.over = p.alone(g.off, in)
		p.gates = append(p.gates, g)
	}
}

// alone returns where the event that begins at off is over, if it can be left out; else 0.
func (p *plan) alone(off int64, in *capture.Inbound) int64 {
	switch {
	case p.coding != "" || in.Level != capture.LevelDispatched:
		return 0
	case p.m.Head.Framing != http1.Chunked:
		return in.WireEnd
	}
	for i, s := range p.body {
		if s.End != in.WireEnd || off != p.gap(i)+p.lead(i) || s.Start != p.wireOf(in.Start) {
			continue
		}
		if i+1 < len(p.body) {
			return p.gap(i+1) + p.lead(i+1)
		}
		if p.m.Wire.At(s.End) == '\r' && p.m.Wire.At(s.End+1) == '\n' {
			return s.End + 2
		}
	}
	return 0
}

// gatesAt returns the gates at off, and those behind it.
func (p *plan) gatesAt(off int64) (at, later []gate) {
	i := sort.Search(len(p.gates), func(i int) bool { return p.gates[i].off >= off })
	j := i
	for j < len(p.gates) && p.gates[j].off == off {
		j++
	}
	return p.gates[i:j], p.gates[j:]
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
			due = sooner(due, when)
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
