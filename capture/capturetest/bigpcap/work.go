package bigpcap

import (
	"fmt"
	"time"

	"mcptrace/capture/capturetest"
)

// breakage is one way in which the answer to a call goes wrong.
type breakage struct {
	name string
	// play sends the response as far as it comes and breaks it.
	play func(r *response)
	// finding and duplicate are what a re-issue of the call is then called.
	finding, duplicate string
}

// response is the answer to one call, on its way.
type response struct {
	g       *generator
	f       *flow
	id      int
	result  string
	event   string // the event that carries it
	started bool   // progress was reported
}

var breakages = []breakage{
	{"reset after the answer", func(r *response) { r.brokenAfter(r.f.rst) }, "reissue-after-delivery", "certain"},
	{"closed after the answer", func(r *response) { r.brokenAfter(func() time.Duration { return r.f.fin(server) }) }, "reissue-after-delivery", "certain"},
	{"stalled after the answer", (*response).stall, "reissue-after-delivery", "certain"},
	{"blank line missing", func(r *response) { r.cut(len(r.event) - 1) }, "reissue-after-unframed-answer", "certain"},
	{"inside the answer", func(r *response) { r.cut(len(r.event) - len(r.result)/2) }, "reissue-of-executed", "certain"},
	{"JSON cut short", (*response).shortJSON, "reissue-of-executed", "certain"},
	{"after progress", func(r *response) { r.progress(1); r.lost() }, "reissue-of-started", "likely"},
	{"after the head", func(r *response) { r.lost() }, "reissue-after-loss", "possible"},
	{"before the head", func(r *response) { r.started = true; r.lost() }, "reissue-after-loss", "possible"},
}

// work is one call, whole or broken, and what the client does then.
func (s *session) work() {
	g := s.g
	order := s.newOrder()
	if g.rng.Float64() >= 0.04 {
		s.whole(order)
		return
	}
	b := breakages[g.rng.IntN(len(breakages))]
	s.ask(order)
	b.play(s.newResponse())
	if g.rng.IntN(4) == 0 {
		return // given up
	}
	s.flow.now += 5 * time.Millisecond
	s.connect()
	s.whole(order)
	g.truth.reissued(b.finding, b.duplicate)
}

func (s *session) ask(order int) {
	s.flow.send(client, s.call(order))
	s.flow.now += 2*time.Millisecond + s.g.upTo(40*time.Millisecond)
}

func (s *session) newResponse() *response {
	r := &response{g: s.g, f: s.flow, id: s.id}
	kind := ""
	if s.modern {
		kind = `"resultType":"complete",`
	}
	r.result = capturetest.Result(fmt.Sprint(s.id), `{`+kind+`"content":[{"type":"text","text":"`+s.g.cut(s.g.size())+`"}]}`)
	r.event = capturetest.Event(r.result)
	return r
}

// size returns how long an answer is: most are short, some are not.
func (g *generator) size() int {
	switch r := g.rng.Float64(); {
	case r < 0.55:
		return 120 + g.rng.IntN(1200)
	case r < 0.9:
		return 1500 + g.rng.IntN(20000)
	}
	return 30000 + g.rng.IntN(120000)
}

// whole is a call whose answer comes as it should: as JSON, or as a stream that may be held open.
func (s *session) whole(order int) {
	g := s.g
	s.ask(order)
	r := s.newResponse()
	if g.rng.IntN(4) == 0 {
		r.f.send(server, capturetest.JSON(r.result))
		g.truth.delivered(0, false)
		return
	}
	r.progress(g.rng.IntN(6))
	r.answered(func() time.Duration {
		if g.rng.IntN(40) == 0 {
			r.f.now += 200*time.Millisecond + g.upTo(4*time.Second)
		}
		return r.f.send(server, capturetest.LastChunk)
	})
}

// progress sends the head, if that has not gone out, and n notifications.
func (r *response) progress(n int) {
	if !r.started {
		r.f.send(server, capturetest.Stream())
	}
	r.started = true
	for k := range n {
		r.f.send(server, capturetest.Chunk(capturetest.Event(capturetest.Note("notifications/progress",
			fmt.Sprintf(`{"progressToken":%d,"progress":%d,"total":%d}`, r.id, k, n)))))
		r.f.now += r.g.upTo(30 * time.Millisecond)
	}
}

// answer sends all of the answer's event, and returns when its blank line was readable.
func (r *response) answer() time.Duration {
	r.progress(0)
	chunk := capturetest.Chunk(r.event)
	return r.f.sendUntil(server, chunk, len(chunk)-len("\r\n"))
}

// answered sends all of the answer, and lets the stream end.
func (r *response) answered(end func() time.Duration) {
	at := r.answer()
	r.f.now += time.Millisecond
	r.g.truth.delivered(end()-at, false)
}

// brokenAfter sends all of the answer and breaks the stream.
func (r *response) brokenAfter(how func() time.Duration) {
	r.answered(how)
	r.g.truth.Totals.Breaks++
	r.g.truth.Totals.BreaksAfterAnswer++
}

// stall sends all of the answer and then nothing, until the client gives up.
func (r *response) stall() {
	at := r.answer()
	r.f.now += 2 * time.Second
	r.g.truth.delivered(r.f.fin(client)-at, false)
	r.g.truth.Totals.ClientCloses++
}

// cut sends the first n bytes of the answer's event.
func (r *response) cut(n int) {
	r.progress(0)
	chunk := capturetest.Chunk(r.event)
	r.f.send(server, chunk[:len(chunk)-len("\r\n")-(len(r.event)-n)])
	r.g.truth.Totals.LostExecuted++
	r.lost()
}

// shortJSON sends a part of the JSON it announced.
func (r *response) shortJSON() {
	text := capturetest.JSON(r.result)
	r.f.send(server, text[:len(text)-1-r.g.rng.IntN(len(r.result)/2)])
	r.started = true
	r.g.truth.Totals.LostExecuted++
	r.lost()
}

// lost breaks a stream that has not answered.
func (r *response) lost() {
	r.progress(0)
	r.f.now += time.Millisecond
	if r.g.rng.IntN(2) == 0 {
		r.f.fin(server)
	} else {
		r.f.rst()
	}
	r.g.truth.Totals.Breaks++
	r.g.truth.Totals.Lost++
}
