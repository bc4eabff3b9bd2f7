package main

import (
	"fmt"
	"io"
	"slices"

	"mcptrace/analyze"
	"mcptrace/capture"
	"mcptrace/replay"
)

// play is one exchange, played.
type play struct {
	c         *analyze.Case
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
	warn io.Writer
	ways []replay.How // of a sweep
	open bool         // all are wanted
	by   map[string]*play
}

func playKey(conn *capture.Conn, seq int64, start capture.Instant) string {
	return fmt.Sprint(conn.Input, conn.ID, conn.Client, seq, start)
}

// want names the exchanges to play.
func (p *plays) want(cases []*analyze.Case) {
	p.by = map[string]*play{}
	for _, c := range cases {
		p.by[playKey(c.Conn, c.Seq, c.Start)] = &play{}
	}
}

// Add plays an exchange if it is wanted.
func (p *plays) Add(ex *capture.Exchange) {
	key := playKey(ex.Conn, ex.Seq, ex.Start)
	if p.open && p.by == nil {
		p.by = map[string]*play{}
	}
	if p.by[key] == nil && !p.open {
		return
	}
	p.by[key] = p.play(ex)
}

func (p *plays) play(ex *capture.Exchange) *play {
	f, rd := p.f, capture.Read(ex)
	out := &play{total: ex.Response.BodyLen(), cut: -1, how: f.how}
	shown, shownRd := ex, rd
	if f.cuts && ex.Response.Head != nil {
		shown = replay.Cut(ex, f.cut, f.how)
		shownRd = capture.Read(shown)
		if out.cut = min(f.cut, out.total); f.cut > out.total && !p.open {
			fmt.Fprintf(p.warn, "mcptrace: warning: the body ends at byte %d: it is broken there, not at byte %d\n", out.total, f.cut)
		}
	}
	out.steps = replay.Steps(shown, shownRd, ex.Conn.Last.Sub(ex.Start))
	if !owed(rd) {
		return out
	}
	o := replay.Options{Timeout: f.timeout}
	if out.cut >= 0 {
		for _, q := range f.ps {
			out.cuts = append(out.cuts, replay.RunCut(ex, f.cut, f.how, q, o))
		}
	}
	if f.sweep {
		out.landmarks = replay.Landmarks(ex, rd)
		for _, how := range p.ways {
			out.swept = append(out.swept, replay.SweepAll(ex, rd, how, f.ps, o)...)
		}
	}
	return out
}

// owed reports whether the exchange carries a call that is owed an answer.
func owed(rd *capture.Reading) bool {
	return slices.ContainsFunc(rd.Calls, func(c capture.Call) bool { return c.IsCall() })
}

// of returns what was played of cases, in their order.
func (p *plays) of(cases []*analyze.Case) []*play {
	var out []*play
	for _, c := range cases {
		if q := p.by[playKey(c.Conn, c.Seq, c.Start)]; q != nil {
			q.c = c
			out = append(out, q)
		}
	}
	return out
}
