package serve

import (
	"net"
	"sync"
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// Play is one live request, what was played to it, and what the client did about that. Durations count from the moment
// the request was whole; -1: it did not happen.
type Play struct {
	Number  int    // of the recorded exchange, 0: none matched
	Session int    // live session, from 1 in order of appearance; 0: the request named none
	Request string // HTTP method and target, JSON-RPC method, tool; from the client, so not to be trusted on a terminal
	Method  string // of the JSON-RPC message, "" for none
	Name    string // tool, prompt or resource
	ID      string // of the call, raw JSON; "" where no answer is owed
	Start   time.Time

	Body   int64         // body bytes that were sent, as recorded; of what was not recorded, those of the error
	Answer time.Duration // the answer had been written in full
	End    time.Duration // this side ended the response, or stopped sending for good
	How    string        // clean, fin, rst, hold, h2-rst or goaway; "" while it goes on
	Where  string        // where it stood then, in the report's words
	Cut    bool          // a Cut was applied
	Left   time.Duration // the client closed, or reset its stream

	Verdict replay.Verdict // once the server has closed; "" where no answer is owed
	Did     string         // what the client did, in words
	Of      *Play          // the call that this one issues again, nil: none

	log       *playLog
	call      bool
	recorded  *entry
	print     [32]byte
	client    string
	cancelled time.Duration
	again     *Play
	moved     bool // the client went on with something else
	released  bool // it was held for as long as it was to be, then closed
	resumed   *Play
}

// playLog holds what was played.
type playLog struct {
	mu    sync.Mutex
	plays []*Play
	open  int // plays that are not finished
	done  func(Play)
}

// maxPlays bounds the plays that are remembered.
const maxPlays = 200_000

// begin takes note of a request.
func (g *playLog) begin(l *live, e *entry, q *request) *Play {
	c := q.call()
	p := &Play{Session: l.number, Request: q.describe(), Method: c.Method, Name: c.Name, Start: q.at, Answer: -1, End: -1, Left: -1,
		log: g, call: c.IsCall() || q.rd.Kind == capture.KindBatch, recorded: e, print: c.Fingerprint, client: host(q.from), cancelled: -1}
	if p.call {
		p.ID = string(c.ID)
	}
	if e != nil {
		p.Number = e.number
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.open++
	if len(g.plays) < maxPlays {
		g.plays = append(g.plays, p)
	}
	return p
}

// underWay reports whether anything is still being played.
func (g *playLog) underWay() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.open > 0
}

func host(a net.Addr) string {
	if a == nil {
		return ""
	}
	h, _, _ := net.SplitHostPort(a.String())
	return h
}

// since returns how long ago the request was whole.
func (p *Play) since() time.Duration { return time.Since(p.Start) }

// answered takes note that the answer has been written.
func (p *Play) answered() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	if p.Answer < 0 && p.Left < 0 {
		p.Answer = p.since()
	}
}

// sent takes note how far the body has come.
func (p *Play) sent(body int64) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.Body = body
}

// ended takes note that this side ended the response.
func (p *Play) ended(how endKind, where string) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	if p.End < 0 {
		p.End, p.How, p.Where = p.since(), how.String(), where
	}
}

// letGo takes note that a held response was closed by this side.
func (p *Play) letGo() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	p.released = true
}

// left takes note that the client has gone.
func (p *Play) left() {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	if p.Left < 0 {
		p.Left = p.since()
	}
}

// finished tells who watches that nothing more comes of the exchange itself.
func (p *Play) finished() {
	p.log.mu.Lock()
	p.log.open--
	c := *p
	p.log.mu.Unlock()
	if p.log.done != nil {
		c.Did = c.words(Exit{})
		p.log.done(c)
	}
}

// all returns the plays in order of their start, judged; exit is what is known of the client's own end.
func (g *playLog) all(exit Exit) []Play {
	g.mu.Lock()
	defer g.mu.Unlock()
	link(g.plays)
	out := make([]Play, len(g.plays))
	at := map[*Play]*Play{}
	for i, p := range g.plays {
		out[i] = *p
		at[p] = &out[i]
	}
	for i := range out {
		p := &out[i]
		p.Of, p.again, p.resumed = at[p.Of], at[p.again], at[p.resumed]
		p.settle(exit)
	}
	return out
}

// shared takes over how the stream ended that carries the answer to p.
func (p *Play) shared(stream *Play) {
	p.log.mu.Lock()
	defer p.log.mu.Unlock()
	ahead := p.Start.Sub(stream.Start)
	if stream.End >= 0 {
		p.End, p.How, p.Where = max(0, stream.End-ahead), stream.How, stream.Where
		p.Cut = p.Cut || stream.Cut
	}
	if stream.Left >= 0 {
		p.Left = max(0, stream.Left-ahead)
	}
}
