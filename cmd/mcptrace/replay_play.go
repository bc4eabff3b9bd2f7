package main

import (
	"cmp"
	"fmt"
	"slices"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay"
	"mcptrace/replay/serve"
)

// play is one exchange, played.
type play struct {
	c         *analyze.Case
	model     model           // of the client that was recorded
	ps        []replay.Policy // what it is played through, in the order in which they are shown
	recorded  []replay.Outcome
	steps     []replay.Step
	total     int64 // body bytes
	cut       int64 // -1: whole
	uncut     error // why it is whole although it was to be cut
	how       replay.How
	cuts      []replay.Outcome // of the cut exchange
	landmarks []replay.Landmark
	swept     []replay.Swept
}

// plays plays exchanges while their bytes are there.
type plays struct {
	f    *replayFlags
	a    *analyze.Analyzer
	ways []replay.How // of a sweep
	open bool         // all are wanted
	by   map[string]*play
}

func playKey(conn *capture.Conn, seq int64, start capture.Instant) string {
	return fmt.Sprint(conn.Input, conn.ID, conn.Client, seq, start)
}

// want names the exchanges to play.
func (p *plays) want(a *analyze.Analyzer, cases []*analyze.Case) {
	p.a, p.by = a, map[string]*play{}
	for _, c := range cases {
		q := &play{c: c, model: modelOf(c)}
		q.ps = q.model.first(p.f.ps)
		if q.model.added = q.model.known && len(p.f.policies) == 0; q.model.added {
			q.ps = append([]replay.Policy{q.model.Policy}, q.ps...)
		}
		p.by[playKey(c.Conn, c.Seq, c.Start)] = q
		a.LetGo()
	}
}

// Add plays an exchange if it is wanted.
func (p *plays) Add(ex *capture.Exchange) {
	key := playKey(ex.Conn, ex.Seq, ex.Start)
	if p.open {
		if p.by == nil {
			p.by = map[string]*play{}
		}
		p.by[key] = &play{ps: p.f.ps}
	}
	if q := p.by[key]; q != nil {
		p.play(q, ex)
	}
}

func (p *plays) play(q *play, ex *capture.Exchange) {
	f, rd := p.f, capture.Read(ex)
	q.total, q.cut, q.how = ex.Response.BodyLen(), -1, f.how
	shown, shownRd := ex, rd
	if f.cut != "" {
		q.place(f.place, ex, rd)
	}
	if q.cut >= 0 {
		shown = replay.Cut(ex, q.cut, f.how)
		shownRd = capture.Read(shown)
	}
	q.steps = replay.Steps(shown, shownRd, ex.Conn.Last.Sub(ex.Start))
	if !owed(rd) {
		return
	}
	o := replay.Options{Timeout: f.timeout}
	if q.model.added {
		q.recorded = []replay.Outcome{replay.Run(ex, rd, q.model.Policy, p.a.Last.Sub(ex.Start), o)}
	}
	if q.cut >= 0 {
		for _, r := range q.ps {
			q.cuts = append(q.cuts, replay.RunCut(ex, q.cut, f.how, r, o))
		}
	}
	if f.sweep {
		q.landmarks = replay.Landmarks(ex, rd)
		for _, how := range p.ways {
			q.swept = append(q.swept, replay.SweepAll(ex, rd, how, q.ps, o)...)
		}
	}
}

// place finds out where the response is to be broken.
func (p *play) place(at serve.Place, ex *capture.Exchange, rd *capture.Reading) {
	n, err := at.Before(ex, rd)
	if p.uncut = err; err == nil {
		p.cut = n
	}
}

// checkCut refuses a cut that was made nowhere: what is shown would pass for what it did.
func (f *replayFlags) checkCut(ps []*play) error {
	if f.cut == "" || len(ps) == 0 || slices.ContainsFunc(ps, func(q *play) bool { return q.cut >= 0 }) {
		return nil
	}
	if f.exchange != 0 {
		return usageError{fmt.Errorf("exchange %d: %w", f.exchange, ps[0].uncut)}
	}
	longest := slices.MaxFunc(ps, func(a, b *play) int { return cmp.Compare(a.total, b.total) })
	return usagef("%w: %s (the longest body has %d bytes)", serve.ErrCut, f.place, longest.total)
}

// warnUnswept says which calls had no response that --sweep could break.
func (f *replayFlags) warnUnswept(s *streams, ps []*play) {
	for _, q := range ps {
		if f.sweep && q.c.IsCall() && len(q.swept) == 0 {
			fmt.Fprintf(s.err, "mcptrace: warning: exchange %d had no response, so there is nothing to break: it is left as recorded\n", q.c.ID)
		}
	}
}

// owed reports whether the exchange carries a call that is owed an answer.
func owed(rd *capture.Reading) bool {
	return slices.ContainsFunc(rd.Calls, func(c capture.Call) bool { return c.IsCall() })
}

// of returns what was played of cases, in their order.
func (p *plays) of(a *analyze.Analyzer, cases []*analyze.Case) []*play {
	var out []*play
	for _, c := range cases {
		if q := p.by[playKey(c.Conn, c.Seq, c.Start)]; q != nil {
			q.settle(a, c)
			out = append(out, q)
		}
		a.LetGo()
	}
	return out
}
