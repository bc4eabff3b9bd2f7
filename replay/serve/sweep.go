package serve

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"mcptrace/replay"
)

// SweepOptions say where a sweep cuts, and who the client is.
type SweepOptions struct {
	Exchange  int  // only this one; 0: every exchange with an answer, equal requests of a session once
	End       End  // how each cut ends; the zero End: FIN
	EveryByte bool // cut behind every byte, not only around events and at the edges of chunks
	Jobs      int  // clients at once; 0: 1
	Speed     float64
	// Client runs one client against the server at url, and returns its error. It must be safe for concurrent use where
	// Jobs is above 1.
	Client func(ctx context.Context, s *Server) error
	// Progress is called after each cut. May be nil.
	Progress func(done, total int)
}

// SweepRow is what a client made of one cut.
type SweepRow struct {
	Exchange int    // number of the exchange that was cut; 0: no cut, for comparison
	Call     string // what it carries: JSON-RPC method and tool, or HTTP method
	Offset   int64  // recorded body bytes that were sent
	Of       int64  // body bytes of the whole response
	Where    string // in the report's words
	End      string
	Verdict  replay.Verdict // the worst of the calls that were cut; Unknown where the client did not make the call
	Did      string
	Err      error // of the client
	Took     time.Duration
	Plays    []Play
}

// gravity orders verdicts, the worst first. What was not recorded is the least: clients ask servers what they can do.
var gravity = []replay.Verdict{replay.Duplicated, replay.Dropped, replay.Guessed, replay.Hung, replay.Failed, replay.Unknown, replay.Resumed,
	replay.Reissued, replay.Salvaged, replay.Settled, Unrecorded}

// Sweep runs a client once per cut, each against a server of its own, and returns what came of each, the worst first; of
// equal ones by exchange and offset. The first run of all is without a cut; its row stands last.
//
// It stops early only where ctx ends, with its error and the rows there are by then, or a server cannot start.
func Sweep(ctx context.Context, rec *Recording, o SweepOptions) ([]SweepRow, error) {
	rec.ready()
	whole, err := sweepOne(ctx, rec, o, sweepCut{})
	if err != nil {
		return nil, err
	}
	cuts := sweepCuts(rec, o)
	rows := make([]*SweepRow, len(cuts))
	var mu sync.Mutex
	var wg sync.WaitGroup
	next, done := 0, 0
	var failure error
	for range max(1, o.Jobs) {
		wg.Go(func() {
			for {
				mu.Lock()
				i := next
				next++
				stop := i >= len(cuts) || failure != nil || ctx.Err() != nil
				mu.Unlock()
				if stop {
					return
				}
				row, err := sweepOne(ctx, rec, o, cuts[i])
				mu.Lock()
				if err != nil {
					failure = err
				} else if ctx.Err() == nil {
					rows[i] = row
				}
				if done++; o.Progress != nil {
					o.Progress(done, len(cuts))
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	var out []SweepRow
	for _, r := range rows {
		if r != nil {
			out = append(out, *r)
		}
	}
	slices.SortStableFunc(out, func(a, b SweepRow) int {
		return cmp.Or(cmp.Compare(slices.Index(gravity, a.Verdict), slices.Index(gravity, b.Verdict)),
			cmp.Compare(a.Exchange, b.Exchange), cmp.Compare(a.Offset, b.Offset))
	})
	return append(out, *whole), cmp.Or(failure, ctx.Err())
}

type sweepCut struct {
	e *entry
	n int64
}

// sweepCuts returns the cuts of a sweep, by exchange and offset. Of the equal requests of a session the first is cut: it is
// the one that a client meets first.
func sweepCuts(rec *Recording, o SweepOptions) []sweepCut {
	var out []sweepCut
	type sessionKey struct{ session, key string }
	seen := map[sessionKey]bool{}
	for _, e := range rec.entries {
		k := sessionKey{e.session, e.key}
		if o.Exchange != 0 && e.number != o.Exchange || o.Exchange == 0 && seen[k] {
			continue
		}
		seen[k] = true
		p := rec.planOf(e)
		if p.m.Head == nil || p.answers < 0 && o.Exchange == 0 {
			continue
		}
		for _, n := range p.places(o.EveryByte) {
			out = append(out, sweepCut{e, n})
		}
	}
	return out
}

// places returns where a response is cut: behind its head, at each event's end and a byte before and after it, and where
// chunks of either kind end.
func (p *plan) places(every bool) []int64 {
	total := p.bodyBefore(p.stop)
	at := map[int64]bool{0: true, total: true}
	if every {
		for n := range total {
			at[n] = true
		}
	} else {
		var n int64
		for _, s := range p.body {
			n += s.Len()
			at[n] = true
		}
		for _, c := range p.m.Chunks {
			at[p.bodyBefore(c.Off)] = true
		}
		for _, k := range p.marks {
			n := p.bodyBefore(k.wireEnd)
			at[n-1], at[n], at[n+1] = true, true, true
		}
	}
	var out []int64
	for n := range at {
		if n >= 0 && n <= total {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// sweepOne runs the client against one cut.
func sweepOne(ctx context.Context, rec *Recording, o SweepOptions, c sweepCut) (*SweepRow, error) {
	so := Options{Speed: o.Speed}
	row := &SweepRow{Call: "(no cut)", Verdict: replay.Unknown}
	if c.e != nil {
		end := o.End
		if !end.set {
			end = FIN
		}
		so.Cuts = []Cut{{Exchange: c.e.number, At: AtByte(c.n), End: end}}
		p := rec.planOf(c.e)
		row.Exchange, row.Offset, row.Of, row.Where, row.End = c.e.number, c.n, p.bodyBefore(p.stop), p.wordFor(p.cutAt(c.n)), end.String()
		row.Call = c.e.what()
	}
	s, err := Start(rec, so)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	begun := time.Now()
	row.Err = o.Client(ctx, s)
	row.Took = time.Since(begun)
	row.Plays = s.Outcome(row.Err == nil)
	s.Close()
	row.worst(c.e == nil)
	return row, nil
}

// worst takes over the worst verdict of the calls that were cut, or of all where none was to be.
func (r *SweepRow) worst(all bool) {
	best := len(gravity)
	r.Did = "did not make the call"
	for i := range r.Plays {
		p := &r.Plays[i]
		if p.Verdict == "" || !all && !p.Cut {
			continue
		}
		if k := slices.Index(gravity, p.Verdict); k < best {
			best, r.Verdict, r.Did = k, p.Verdict, p.Did
		}
	}
}

// what names what an exchange carries.
func (e *entry) what() string {
	if len(e.rd.Calls) == 0 {
		return e.ex.Request.Head.Method
	}
	if c := &e.rd.Calls[0]; c.Name != "" {
		return c.Method + " " + c.Name
	}
	return e.rd.Calls[0].Method
}
