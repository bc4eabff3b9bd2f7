package serve

import (
	"fmt"
	"time"

	"mcptrace/replay"
)

// Exit is what is known of the client program's own end.
type Exit struct {
	Known bool
	OK    bool      // it succeeded
	At    time.Time // when it was seen to have ended
}

const (
	// window is the longest gap between a broken call and its re-issue.
	window = 120 * time.Second
	// prompt is how soon after the answer a client closes that returned on it.
	prompt = 250 * time.Millisecond
)

// link finds out which plays issue an earlier call again, and after which the client went on. Plays are in order.
func link(plays []*Play) {
	earlier := map[[32]byte][]*Play{}
	last := map[clientSession]*Play{}
	for _, p := range plays {
		p.Of, p.again, p.moved = nil, nil, false
	}
	for _, p := range plays {
		if l := last[p.scope()]; l != nil && l.over() >= 0 && p.Start.Sub(l.Start) > l.over() {
			l.moved = true
		}
		if !p.call {
			continue
		}
		last[p.scope()] = p
		if first := firstAttempt(earlier[p.print], p); first != nil {
			first.again, p.Of = p, first
		}
		earlier[p.print] = append(earlier[p.print], p)
	}
}

// over returns the moment from which on the client could go on with something else, -1: not known.
func (p *Play) over() time.Duration {
	if p.End < 0 {
		return p.Answer
	}
	return p.End
}

type clientSession struct {
	client  string
	session int
}

func (p *Play) scope() clientSession { return clientSession{p.client, p.Session} }

// firstAttempt returns the latest of the equal calls before second that it issues again.
func firstAttempt(before []*Play, second *Play) *Play {
	for i := len(before) - 1; i >= 0; i-- {
		f := before[i]
		if second.Start.Sub(f.Start) > window+time.Hour {
			break
		}
		if f.again == nil && f.Method == second.Method && f.sameClient(second) && f.gaveUp(second) {
			return f
		}
	}
	return nil
}

func (p *Play) sameClient(q *Play) bool {
	return p.client == q.client && (p.Session == q.Session || p.Method == "initialize")
}

// broke reports whether the response ended otherwise than it should.
func (p *Play) broke() bool { return p.End >= 0 && p.How != endClean.String() }

// gaveUp reports whether an equal call at the time of second means that p was given up: p broke, or the client left it
// or cancelled it, unless it left because it had its answer.
func (p *Play) gaveUp(second *Play) bool {
	gone := p.End
	if p.Left >= 0 && (gone < 0 || p.Left < gone) {
		gone = p.Left
	}
	if p.cancelled >= 0 {
		gone = p.cancelled
	}
	at := second.Start.Sub(p.Start)
	switch {
	case gone < 0 || at+prompt < gone || at-gone > window:
		return false
	case p.Answer >= 0 && p.Left >= 0 && p.Left-p.Answer <= prompt && (p.End < 0 || p.Left <= p.End):
		return false
	}
	return p.broke() || p.Answer < 0
}

// settle puts the verdict and the words to what is known.
func (p *Play) settle(x Exit) {
	p.Did = p.words(x)
	if !p.call {
		return
	}
	if p.Verdict = p.verdict(x); p.Verdict == replay.Unknown && p.broke() && !p.waits() {
		p.Did += p.doubt()
	}
}

// doubt says why nothing is known of what became of an answer whose stream broke behind it.
func (p *Play) doubt() string {
	if p.moved {
		return ", then went on: whether it kept the answer cannot be seen"
	}
	return "; nothing more was seen of it"
}

// waits reports whether the response was held and the client was still there when the server closed.
func (p *Play) waits() bool { return p.How == endHold.String() && p.Left < 0 && !p.released }

func (p *Play) verdict(x Exit) replay.Verdict {
	if p.recorded == nil {
		return Unrecorded
	}
	early := p.Left >= 0 && (p.End < 0 || p.Left <= p.End)
	if p.resumed != nil && p.End >= 0 && p.Answer > p.End && p.again == nil {
		return replay.Resumed // the answer came on the resumed stream
	}
	if p.Answer >= 0 {
		switch {
		case p.again != nil:
			return replay.Duplicated
		case p.How == endClean.String(), early, p.End < 0 && (p.moved || x.OK):
			return replay.Settled
		case p.End < 0:
			return replay.Unknown
		case p.How == endHold.String() && p.Left >= 0 && p.Left-p.Answer <= prompt:
			return replay.Settled
		case x.Known && x.OK:
			return replay.Salvaged
		case x.Known:
			return replay.Dropped
		}
		return replay.Unknown
	}
	switch {
	case p.again != nil:
		return replay.Reissued
	case p.resumed != nil:
		return replay.Resumed
	case x.Known && x.OK && p.broke():
		return replay.Guessed
	case early, p.How == endHold.String() && (p.Left >= 0 || p.cancelled >= 0), p.End >= 0 && p.cancelled-p.End > prompt:
		return replay.Hung // it waited on, although nothing could come any more
	case p.waits() && !x.Known:
		return replay.Unknown
	case p.End >= 0:
		return replay.Failed
	}
	return replay.Unknown
}

// words says what the client did.
func (p *Play) words(x Exit) string {
	var s string
	early := p.Left >= 0 && (p.End < 0 || p.Left <= p.End || p.How == endHold.String())
	switch {
	case p.recorded == nil:
		return "asked for what was not recorded"
	case p.Answer >= 0 && early:
		s = "closed " + short(p.Left-p.Answer) + " after the answer"
		if p.Left-p.Answer <= prompt {
			s = "returned early and " + s
		}
	case early && p.call:
		s = "gave up after " + short(p.Left)
	case early:
		s = "closed after " + short(p.Left)
	case p.How == endClean.String():
		s = "waited for the end"
	case p.waits():
		s = "was still waiting"
	case p.End >= 0:
		s = "was there when it broke"
		if ended := x.At.Sub(p.Start) - p.End; x.Known && p.call && p.Answer < 0 && !p.moved && ended > prompt {
			s += ", ended " + short(ended) + " later"
		}
	case p.Answer >= 0 && p.moved:
		s = "returned early and left the stream open"
	default:
		s = "is still reading"
	}
	if p.cancelled >= 0 {
		s += ", cancelled after " + short(p.cancelled)
	}
	if p.resumed != nil {
		s += ", resumed"
	}
	if p.again != nil {
		s += fmt.Sprintf(", issued it again with id %s", p.again.ID)
		if p.again.ID == p.ID {
			s += " (the same)"
		}
	}
	return s
}

// short writes a duration with as many digits as matter.
func short(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	}
	return d.Round(100 * time.Millisecond).String()
}

// cancel takes note of a notifications/cancelled.
func (g *playLog) cancel(l *live, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.plays) - 1; i >= 0; i-- {
		if p := g.plays[i]; p.call && p.Session == l.number && canonicalID(p.ID) == canonicalID(id) {
			if p.cancelled < 0 {
				p.cancelled = p.since()
			}
			return
		}
	}
}

// resume takes note that a GET goes on with the stream on which the event last came.
func (g *playLog) resume(r *Recording, l *live, by *Play, last string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for i := len(g.plays) - 1; i >= 0; i-- {
		if p := g.plays[i]; p != by && p.Session == l.number && p.recorded != nil && r.planOf(p.recorded).eventEnd(last) >= 0 {
			p.resumed = by
			return
		}
	}
}

// eventEnd returns where in Wire the event with that id is over, -1: there is none.
func (p *plan) eventEnd(id string) int64 {
	for _, k := range p.marks {
		if k.id == id && id != "" {
			return k.wireEnd
		}
	}
	return -1
}
