package analyze

import (
	"cmp"
	"math"
	"net/netip"
	"slices"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// Options change what an Analyzer looks for.
type Options struct {
	Policies []replay.Policy // nil: the generic ones
	Replay   replay.Options
	Window   time.Duration // 0: DefaultWindow
	HoldFrom time.Duration // from which hold on a stream counts as held open; 0: one second
	Filter   Filter
	Optional bool // also what is said on request only
	AtHand   int  // so many exchanges are kept in memory as a whole; what is known of more goes to temporary files. 0: 8192
}

// Input is one file that was read.
type Input struct {
	Path    string
	Kind    string // pcap, pcapng, recording, stdio
	Quality capture.Quality
}

// Analyzer collects exchanges and says in Report what they add up to. It is not safe for concurrent use.
type Analyzer struct {
	opt     Options
	hidden  int // exchanges before the filter
	limited int // times a limit left something of one out
	pager   *pager
	cases   []*Case
	free    []Case // memory for more
	arena   arena  // … and for what they say
	acts    acts
	repeats repeats

	https       sharing[HTTP]
	headers     sharing[Header]
	header      Header // of the exchange that is being added
	clients     sharing[clientName]
	shapes      sharing[shape]
	natures     sharing[Nature]
	manners     sharing[Manner]
	particulars sharing[Particulars]
	names       table[string] // of tools, prompts and resources
	failures    []capture.ConnectFailure

	// What Report has worked out, in order of first appearance.
	Sessions []*Session
	Findings []Finding
	Totals   Totals
	Stories  []*Story // logical calls of several exchanges, or without an answer
	Logical  LogicalTotals
	Cuts     []*Cut // habits of whoever ends streams, the most frequent first
	Inputs   []Input
	Conns    []*capture.Conn
	Failures []capture.ConnectFailure // attempts to reach a known endpoint
	Quality  capture.Quality          // of all inputs together
	First    capture.Instant          // first packet of all inputs
	Last     capture.Instant          // last packet of all inputs
}

// New returns an Analyzer.
func New(o Options) *Analyzer {
	if o.Policies == nil {
		o.Policies = replay.Generic()
	}
	if o.Window == 0 {
		o.Window = DefaultWindow
	}
	if o.HoldFrom == 0 {
		o.HoldFrom = time.Second
	}
	p := newPager(o.AtHand)
	return &Analyzer{opt: o, pager: p, arena: arena{few: p.keep}, header: Header{Manner: new(Manner), Particulars: new(Particulars)}}
}

// Add takes one exchange and takes over its reading. The exchange's bytes are not kept; the caller may release them.
func (a *Analyzer) Add(ex *capture.Exchange, rd *capture.Reading) {
	c := a.newCase(ex, rd)
	if out := a.products(c, ex, rd); out != nil {
		c.tie().Outcomes = out
	}
	a.cases = append(a.cases, c)
	a.limited += rd.Limited
	a.pager.add(c)
}

// ConnectFailure takes note of an attempt to connect that carried nothing.
func (a *Analyzer) ConnectFailure(f capture.ConnectFailure) { a.failures = append(a.failures, f) }

// Close removes the temporary files. No exchange may be looked at any more.
func (a *Analyzer) Close() {
	a.pager.file.close()
	a.arena.close()
}

// Cases returns the exchanges in order of their first request byte, once Report has run.
func (a *Analyzer) Cases() []*Case { return a.cases }

// Policies returns the policies that are played.
func (a *Analyzer) Policies() []replay.Policy { return a.opt.Policies }

// Report draws the conclusions. conns are all connections met, those without MCP too. It is called once, after the
// last Add.
func (a *Analyzer) Report(inputs []Input, conns []*capture.Conn) {
	a.arena.guard()
	a.Inputs, a.Conns = inputs, conns
	a.sumQuality()
	a.order()
	a.Quality.LimitCuts += a.limited
	a.pager.settle(a.cases)
	a.correlate()
	a.selectShown()
	a.findings()
	a.total()
}

// order sorts the exchanges by their first request byte and numbers them.
func (a *Analyzer) order() {
	type place struct {
		start capture.Instant
		seq   int64
		c     *Case
	}
	places := make([]place, 0, len(a.cases))
	for c := range a.each(a.cases) {
		places = append(places, place{c.Start, c.Seq, c})
		a.Last = max(a.Last, c.at(max(c.LastByte, c.RequestEnd)))
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.seq, y.seq))
	})
	for i, p := range places {
		a.cases[i], p.c.ID = p.c, i+1
	}
}

// correlate works out, step by step, what each exchange means among the others. Each step needs those before it.
func (a *Analyzer) correlate() {
	a.findTransports()
	a.sessions()
	a.resumeLinks()
	a.answersElsewhere()
	a.collectActs()
	a.findRepeats()
	a.findHops()
	h := hints{}
	for c := range a.each(a.cases) {
		a.deliver(c)
		if b := c.findBreak(); b != nil {
			c.tie().Break = b
		}
		h.take(c, a)
		a.hold(c)
	}
	a.findReissues()
	a.repeats = nil // as large as the recording is long
	a.stories()
	a.findCuts()
	for s := range a.eachSession() {
		s.live(a)
	}
	a.knownFailures()
}

func (a *Analyzer) sumQuality() {
	for i := range a.Inputs {
		a.Quality.Add(a.Inputs[i].Quality)
	}
	a.First, a.Last = a.Quality.First, a.Quality.Last
}

// knownFailures keeps the failed attempts that were made at an address where MCP is served.
func (a *Analyzer) knownFailures() {
	known := map[netip.AddrPort]bool{}
	for c := range a.each(a.cases) {
		known[c.Conn.Server] = true
	}
	for _, f := range a.failures {
		if known[f.Server] {
			a.Failures = append(a.Failures, f)
		}
	}
}

// Outcomes plays the exchange through the policies. A GET or a notification owes no answer: none apply.
func (a *Analyzer) Outcomes(c *Case) []replay.Outcome {
	if !c.isCall() || !c.HasRequest {
		return nil
	}
	v := *c.view()
	if c.End().Kind == capture.EndOpen {
		v.End.At = a.Last.Sub(c.Start)
	}
	if c.Transport() == "http+sse" {
		c.otherStream(&v, a)
	}
	var out []replay.Outcome
	product := c.Outcomes
	for _, p := range a.opt.Policies {
		switch {
		case !p.NeedsBytes():
			out = append(out, p.Judge(&v, a.opt.Replay))
		case len(product) == 0 || c.Transport() == "http+sse":
			out = append(out, p.NotModelled())
		default:
			o := product[0]
			if c.End().Kind == capture.EndOpen {
				o = o.AsOf(v.End.At, &v)
			}
			out, product = append(out, o), product[1:]
		}
	}
	return out
}

// products plays the exchange through the policies that need its bytes, which are at hand only now. Where it was still
// open, they are played as if nothing more had ever come; Outcomes knows by when the capture ended.
func (a *Analyzer) products(c *Case, ex *capture.Exchange, rd *capture.Reading) (out []replay.Outcome) {
	if !c.isCall() || !c.HasRequest || c.HTTP.Method == "" {
		return nil
	}
	for _, p := range a.opt.Policies {
		if p.NeedsBytes() {
			out = append(out, replay.Run(ex, rd, p, math.MaxInt64, a.opt.Replay))
		}
	}
	return out
}

// otherStream makes the view that of a client of the 2024-11-05 transport: the answer comes on the GET stream, and a
// reader of that stream takes it when it is dispatched.
func (c *Case) otherStream(v *replay.View, a *Analyzer) {
	v.Level, v.Answer = c.Answer().Level, c.answerAt
	v.SSE, v.Status = true, 200
	if c.dispatched() {
		v.End = replay.End{Kind: capture.EndClean, Clean: true, At: c.answerAt}
		return
	}
	v.End = replay.End{Kind: capture.EndOpen, At: a.Last.Sub(c.Start)}
	if g := c.Origin; g != nil && g.over() != 0 {
		v.End = replay.End{Kind: g.End().Kind, By: g.End().By, At: g.over().Sub(c.Start), Clean: g.End().Kind == capture.EndClean}
	}
}
