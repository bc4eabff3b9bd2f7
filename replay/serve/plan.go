package serve

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/http1"
)

// plan is how one recorded response is played: worked out once, shared by all who play it. Times count from the end of
// the request; offsets are bytes of the response's Wire unless they say otherwise.
type plan struct {
	m      *capture.Message
	body   []span // of Wire; a coded body is split where it came in pieces
	stop   int64  // what comes after is not played: it was not captured
	coding string
	known  bool // the coding can be undone
	sites  []site
	marks  []mark
	gates  []gate
	base   time.Duration // of the request's end, since the exchange's start

	session span // of the session id in the head
	length  span // of the Content-Length value

	answer  int64 // what must have been sent for the last answer to be there in full; -1: there is none
	answers int64 // where that answer begins
	end     ending
}

type span = capture.Span

// planOf returns the plan of e.
func (r *Recording) planOf(e *entry) *plan {
	e.once.Do(func() { e.plan = newPlan(r, e) })
	return e.plan
}

func newPlan(r *Recording, e *entry) *plan {
	m := &e.ex.Response
	p := &plan{m: m, stop: m.Wire.Len(), base: e.ex.RequestEnd(), answer: -1, answers: -1}
	for _, h := range m.Holes {
		p.stop = min(p.stop, h.Start)
	}
	p.end = endingOf(e.ex, p.base)
	if m.Head == nil {
		return p
	}
	p.coding = m.Head.Get("Content-Encoding")
	if p.coding == "identity" {
		p.coding = ""
	}
	p.known = coding.Supported(p.coding)
	p.body = m.Body
	if p.coding != "" && m.Head.Framing != http1.Chunked {
		p.body = byMoment(m)
	}
	if m.HeadEnd > 0 {
		head := m.Wire.Bytes(m.HeadStart, m.HeadEnd)
		p.session, p.length = valueOf(head, sessionHeader, m.HeadStart), valueOf(head, "Content-Length", m.HeadStart)
	}
	if p.known {
		s := surveyOf(e.ex)
		p.sites, p.marks = s.sites, s.marks
		slices.SortFunc(p.sites, func(a, b site) int { return cmp.Compare(a.from, b.from) })
	}
	p.findAnswer(e)
	p.findGates(r, e)
	return p
}

// findAnswer notes where the exchange's last answer stands.
func (p *plan) findAnswer(e *entry) {
	k := -1
	if e.owesAnswer() {
		k, _ = e.rd.LastAnswer(p.m.Head.Status)
	} else {
		for i := range e.rd.Messages {
			if e.rd.Messages[i].IsResponse() {
				k = i
			}
		}
	}
	if k < 0 {
		return
	}
	in := &e.rd.Messages[k]
	if p.answers = p.m.HeadEnd; e.rd.SSE {
		p.answers = p.wireOf(in.Start)
	}
	if in.Level == capture.LevelDispatched && in.WireEnd <= p.stop {
		p.answer = in.WireEnd
	}
}

// valueOf finds the value of a field in the text of a head that stands at base.
func valueOf(head []byte, name string, base int64) span {
	for i := 0; i < len(head); {
		j := bytes.IndexByte(head[i:], '\n')
		if j < 0 {
			break
		}
		l := head[i : i+j]
		if n, v, ok := bytes.Cut(l, []byte(":")); ok && bytes.EqualFold(bytes.TrimSpace(n), []byte(name)) {
			t := bytes.TrimLeft(v, " \t")
			from := base + int64(i+len(l)-len(t))
			return span{Start: from, End: from + int64(len(bytes.TrimRight(t, " \t\r")))}
		}
		i += j + 1
	}
	return span{}
}
