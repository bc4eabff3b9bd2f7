package analyze

import (
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// ownAnswers fills in the answers that came on each call's own response.
func (c *Case) ownAnswers() {
	for i := range c.R.Calls {
		k := &c.R.Calls[i]
		if !k.IsCall() {
			continue
		}
		an := Answer{Call: k, Level: capture.LevelNone, At: -1, End: -1, Evidence: Seen}
		if j := c.answerIndex(k); j >= 0 {
			m := &c.R.Messages[j]
			an.take(m)
		}
		c.Answers = append(c.Answers, an)
	}
	if len(c.R.Calls) == 0 && !c.HasRequest {
		c.headless()
	}
}

// headless gives a response without its request the answer it carries, whosesoever it is.
func (c *Case) headless() {
	for i := range c.R.Messages {
		if m := &c.R.Messages[i]; m.IsResponse() {
			an := Answer{Evidence: Seen}
			an.take(m)
			c.Answers = append(c.Answers, an)
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
	return c.R.AnswerTo(c.HTTP.Status, k)
}

// summary chooses the answer that stands for the exchange: the last one of a batch, partial while some are missing.
func (c *Case) summary() {
	c.Answer = &noAnswer
	missing := false
	for i := range c.Answers {
		an := &c.Answers[i]
		if an.Level != capture.LevelDispatched {
			missing = true
		}
		if i == 0 || an.At >= c.Answer.At {
			c.Answer = an
		}
	}
	if len(c.Answers) > 1 && missing && c.Answer.Level == capture.LevelDispatched {
		some := *c.Answer
		some.Level, some.Delivered = capture.LevelPartial, -1
		c.Answer = &some
	}
}

// noAnswer stands for the exchange where no answer is owed.
var noAnswer = Answer{Level: capture.LevelNone, At: -1, End: -1, Evidence: Seen, Delivered: -1}

// resumeLinks finds for each GET with Last-Event-ID the exchange whose stream it continues.
func (a *Analyzer) resumeLinks() {
	ids := map[string]*Case{}
	key := func(c *Case, id string) string { return c.Group.Label + "\x00" + id }
	for _, c := range a.cases {
		if c.HTTP.Method == "GET" && c.Header.LastEventID != "" {
			if o := ids[key(c, c.Header.LastEventID)]; o != nil && o != c {
				c.Origin, c.resumes = o.root(), o
				if o.ResumedBy == nil {
					o.ResumedBy = c
				}
			}
		}
		for _, m := range c.R.Marks {
			if k := key(c, m.ID); ids[k] == nil {
				ids[k] = c
			}
		}
	}
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
	waiting := map[string][]*Answer{}
	owner := map[*Answer]*Case{}
	key := func(s *Session, id jsonrpc.ID) string { return s.Label + "\x00" + idKey(id) }
	for _, c := range a.cases {
		if c.Group == nil {
			continue
		}
		for i := range c.Answers {
			if an := &c.Answers[i]; an.Call != nil && an.Level != capture.LevelDispatched {
				k := key(c.Group, an.Call.ID)
				waiting[k] = append(waiting[k], an)
				owner[an] = c
			}
		}
	}
	for _, g := range a.cases {
		if g.HTTP.Method != "GET" || g.Group == nil {
			continue
		}
		for i := range g.R.Messages {
			m := &g.R.Messages[i]
			if !m.IsResponse() || m.Level != capture.LevelDispatched && g.Transport != "http+sse" {
				continue
			}
			k := key(g.Group, m.ID)
			for j, an := range waiting[k] {
				c := owner[an]
				if c.Start > g.at(m.At) || !c.mayAnswerOn(g) {
					continue
				}
				an.take(m)
				an.At = g.at(m.At).Sub(c.Start)
				an.Stream = g
				if m.Level == capture.LevelDispatched {
					waiting[k] = append(waiting[k][:j:j], waiting[k][j+1:]...)
				}
				break
			}
		}
	}
}

// mayAnswerOn reports whether an answer to c could have come on g: over HTTP+SSE only on its own stream.
func (c *Case) mayAnswerOn(g *Case) bool {
	if c.Transport == "http+sse" || g.Transport == "http+sse" {
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
