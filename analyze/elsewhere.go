package analyze

import (
	"time"

	"mcptrace/capture"
)

// ownAnswers fills in the answers that came on each call's own response.
func (c *Case) ownAnswers() {
	d := c.edit()
	for i := range c.R().Calls {
		k := &c.R().Calls[i]
		if !k.IsCall() {
			continue
		}
		an := Answer{Call: k, Level: capture.LevelNone, At: -1, End: -1, Evidence: Seen}
		if j := c.answerIndex(k); j >= 0 {
			m := &c.R().Messages[j]
			an.take(m)
		}
		d.answers = append(d.answers, an)
		c.owes = c.owes || an.Level != capture.LevelDispatched
	}
	if len(c.R().Calls) == 0 && !c.HasRequest {
		d.headless()
	}
	c.settle(d)
}

// headless gives a response without its request the answer it carries, whosesoever it is.
func (d *detail) headless() {
	for i := range d.reading.Messages {
		if m := &d.reading.Messages[i]; m.IsResponse() {
			an := Answer{Evidence: Seen}
			an.take(m)
			d.answers = append(d.answers, an)
			return
		}
	}
}

func (an *Answer) take(m *capture.Inbound) {
	an.Message, an.Level, an.At, an.End, an.Packet, an.Holed = m, m.Level, m.At, m.End, m.Packet, m.Holed
	an.Kind = m.Kind.String()
	if m.Level == capture.LevelPartial {
		an.Packet = 0
	}
}

// answerIndex is capture's AnswerTo for a case that no longer has its bytes.
func (c *Case) answerIndex(k *capture.Call) int {
	return c.R().AnswerTo(c.HTTP.Status, k)
}

// summary chooses the answer that stands for the exchange: the last one of a batch, partial while some are missing.
func (d *detail) summary() {
	d.answer = &noAnswer
	missing := false
	for i := range d.answers {
		an := &d.answers[i]
		if an.Level != capture.LevelDispatched {
			missing = true
		}
		if i == 0 || an.At >= d.answer.At {
			d.answer = an
		}
	}
	if len(d.answers) > 1 && missing && d.answer.Level == capture.LevelDispatched {
		some := *d.answer
		some.Level, some.Delivered = capture.LevelPartial, -1
		d.answer = &some
	}
}

// noAnswer stands for the exchange where no answer is owed.
var noAnswer = Answer{Level: capture.LevelNone, At: -1, End: -1, Evidence: Seen, Delivered: -1}

// resumeLinks finds for each GET with Last-Event-ID the exchange whose stream it continues: the first with an event of
// that id in its session.
func (a *Analyzer) resumeLinks() {
	streams := map[eventAt]*Case{} // those whose ids are asked for
	for c := range a.each(a.cases) {
		if c.HTTP.Method == "GET" && c.Header.LastEventID != "" {
			streams[eventAt{c.Group, c.Header.LastEventID}] = nil
		}
	}
	if len(streams) == 0 {
		return
	}
	for c := range a.each(a.cases) {
		if c.HTTP.Method == "GET" && c.Header.LastEventID != "" {
			if o := streams[eventAt{c.Group, c.Header.LastEventID}]; o != nil {
				c.tie().Origin, c.tie().resumes = o.root(), o
				if o.ResumedBy == nil {
					o.tie().ResumedBy = c
				}
			}
		}
		if !c.marked {
			continue
		}
		for _, m := range c.R().Marks {
			k := eventAt{c.Group, m.ID}
			if o, asked := streams[k]; asked && o == nil {
				streams[k] = c
			}
		}
	}
}

// eventAt is an event by its id, which is a session's own.
type eventAt struct {
	session *Session
	id      string
}

// root follows resumptions back to the stream that was opened first.
func (c *Case) root() *Case {
	for n := 0; c.HTTP.Method == "GET" && c.Origin != nil && n < 1000; n++ {
		c = c.Origin
	}
	return c
}

// answersElsewhere gives calls the answers that came on GET streams: of the 2024-11-05 transport, of a resumed stream,
// or on a stream where no answer should be.
func (a *Analyzer) answersElsewhere() {
	waiting := map[callAt][]owed{}
	for c := range a.each(a.cases) {
		if !c.owes || c.Group == nil {
			continue
		}
		for i := range c.Answers() {
			if an := &c.Answers()[i]; an.Call != nil && an.Level != capture.LevelDispatched {
				k := callAt{c.Group, idKey(an.Call.ID)}
				waiting[k] = append(waiting[k], owed{c, i})
			}
		}
	}
	for g := range a.each(a.cases) {
		if g.HTTP.Method != "GET" || g.Group == nil {
			continue
		}
		for i := range g.R().Messages {
			m := &g.R().Messages[i]
			if m.IsResponse() && (m.Level == capture.LevelDispatched || g.Transport() == "http+sse") {
				k := callAt{g.Group, idKey(m.ID)}
				waiting[k] = g.answer(m, waiting[k])
			}
		}
	}
}

// callAt is a call by its id, which is a session's own.
type callAt struct {
	session *Session
	id      string
}

// owed is the answer to a call that its own response did not bring.
type owed struct {
	c *Case
	i int // in its answers
}

// answer gives m, which came on c, to the first of those who wait that it may be for. It returns who goes on waiting.
func (c *Case) answer(m *capture.Inbound, waiting []owed) []owed {
	for j, w := range waiting {
		if w.c.Start > c.at(m.At) || !w.c.mayAnswerOn(c) {
			continue
		}
		d := w.c.edit()
		an := &d.answers[w.i]
		an.take(m)
		an.At = c.at(m.At).Sub(w.c.Start)
		an.Stream = c
		w.c.settle(d)
		if m.Level == capture.LevelDispatched {
			return append(waiting[:j:j], waiting[j+1:]...)
		}
		break
	}
	return waiting
}

// mayAnswerOn reports whether an answer to c could have come on g: over HTTP+SSE only on its own stream.
func (c *Case) mayAnswerOn(g *Case) bool {
	if c.Transport() == "http+sse" || g.Transport() == "http+sse" {
		return c.Origin == g
	}
	return true
}

// ackedOn returns when the answer's last byte was acknowledged, since c's start; -1: never seen.
func (c *Case) ackedOn(an *Answer) time.Duration {
	if an.Message == nil || an.Message.AckedAt < 0 {
		return -1
	}
	if an.Stream != nil {
		return an.Stream.at(an.Message.AckedAt).Sub(c.Start)
	}
	return an.Message.AckedAt
}
