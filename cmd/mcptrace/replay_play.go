package main

import (
	"fmt"
	"io"
	"slices"
	"strconv"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay"
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
	how       replay.How
	cuts      []replay.Outcome // of the cut exchange
	landmarks []replay.Landmark
	swept     []replay.Swept
}

// plays plays exchanges while their bytes are there.
type plays struct {
	f    *replayFlags
	a    *analyze.Analyzer
	warn io.Writer
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
	if p.cut(q, ex, rd) {
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

// cut finds out where the response is to be broken, and reports whether it is.
func (p *plays) cut(q *play, ex *capture.Exchange, rd *capture.Reading) bool {
	if p.f.cut == "" || ex.Response.Head == nil {
		return false
	}
	n, ok := p.f.place.Before(ex, rd)
	if ok {
		q.cut = n
	}
	if p.open || p.f.exchange == 0 {
		return ok // only of an exchange that was named it is worth a warning
	}
	if !ok {
		fmt.Fprintf(p.warn, "mcptrace: warning: the response of #%d has no place %s: it is left as recorded\n", q.c.ID, p.f.place)
	} else if want, err := strconv.ParseInt(p.f.cut, 10, 64); err == nil && want > n {
		fmt.Fprintf(p.warn, "mcptrace: warning: the body of #%d ends at byte %d: it is broken there, not at byte %d\n", q.c.ID, n, want)
	}
	return ok
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
	}
	return out
}
