package serve

import (
	"bytes"
	"strconv"

	"mcptrace/capture/wire/http1"
)

// take is one playing of a plan to one client: the recorded bytes with what belongs to that client put in. Bytes are
// asked for in order. What stands for an id is looked up only when the bytes in front of it, or the framing they stand
// in, are about to be sent.
type take struct {
	p    *plan
	as   resolver
	es   edits // of Wire
	site int   // the next site to resolve
	span int   // the next body span to resolve, where the body is chunked or coded
	head bool  // resolved
	grow []int64
	re   *recoder
	live int64 // bytes rendered
}

// resolver knows the live client's values.
type resolver interface {
	// value returns what stands for raw at a site, raw itself where that is not known.
	value(kind siteKind, raw string) string
	// session returns the live session id for the recorded one.
	session(recorded string) string
}

func newTake(p *plan, as resolver) *take {
	t := &take{p: p, as: as}
	if p.m.Head != nil {
		t.grow = make([]int64, len(p.body))
	}
	if p.coding != "" && p.known && t.differs() && len(p.body) > 0 {
		t.re = newRecoder(p.coding, p.m.Wire.At(p.body[0].Start))
	}
	return t
}

func (t *take) close() {
	if t.re != nil {
		t.re.close()
	}
}

// differs reports whether anything in the body must change, or may have to.
func (t *take) differs() bool {
	for _, s := range t.p.sites {
		if t.as.value(s.kind, s.raw) != s.raw {
			return true
		}
	}
	return len(t.p.gates) > 0
}

// bytes appends the live bytes for the recorded ones [from, to) of Wire to dst.
func (t *take) bytes(dst []byte, from, to int64) []byte {
	t.resolve(to)
	n := len(dst)
	dst = t.es.render(dst, from, to, func(dst []byte, a, b int64) []byte {
		t.p.m.Wire.Range(a, b, func(p []byte) error { dst = append(dst, p...); return nil })
		return dst
	})
	t.es.drop(to)
	t.live += int64(len(dst) - n)
	return dst
}

// resolve makes the edits that the bytes before to depend on.
func (t *take) resolve(to int64) {
	m := t.p.m
	if m.Head == nil || to <= m.HeadStart {
		return
	}
	if !t.head {
		t.head = true
		t.resolveHead()
	}
	chunked := m.Head.Framing == http1.Chunked
	for t.span < len(t.p.body) && t.p.gap(t.span)+t.p.lead(t.span) < to {
		switch {
		case t.re != nil:
			t.recode(t.span)
		case chunked:
			t.sitesBefore(t.p.body[t.span].End)
		}
		if chunked {
			t.chunkSize(t.span)
		}
		t.span++
	}
	if t.re == nil && !chunked {
		t.sitesBefore(to)
	}
}

// resolveHead puts in the session id and, where the length of the body is announced, the new one.
func (t *take) resolveHead() {
	p := t.p
	if s := p.session; s.Len() > 0 {
		old := string(p.m.Wire.Bytes(s.Start, s.End))
		t.put(s, t.as.session(old))
	}
	if p.length.Len() == 0 || p.m.Head.Framing == http1.Chunked {
		return
	}
	if t.re != nil {
		for ; t.span < len(p.body); t.span++ {
			t.recode(t.span)
		}
	} else {
		t.sitesBefore(p.m.Wire.Len())
	}
	var grown int64
	for _, g := range t.grow {
		grown += g
	}
	old, err := strconv.ParseInt(string(p.m.Wire.Bytes(p.length.Start, p.length.End)), 10, 64)
	if grown != 0 && err == nil {
		t.put(p.length, strconv.FormatInt(old+grown, 10))
	}
}

func (t *take) put(s span, text string) {
	if string(t.p.m.Wire.Bytes(s.Start, s.End)) != text {
		t.es.add(edit{s.Start, s.End, []byte(text)})
	}
}

// sitesBefore resolves the sites of a body that is not coded which begin before to of Wire.
func (t *take) sitesBefore(to int64) {
	for ; t.site < len(t.p.sites); t.site++ {
		s := &t.p.sites[t.site]
		if t.p.wireOf(s.from) >= to {
			return
		}
		text := t.as.value(s.kind, s.raw)
		if text != s.raw {
			t.replace(s, []byte(text))
		}
	}
}

// replace puts text in the place of a site, which may stand in several body spans. None of them may become empty: an
// empty transfer chunk would end the body. JSON allows white space in front of a value.
func (t *take) replace(s *site, text []byte) {
	e := edit{s.from, s.to, text}
	var at int64 // of the span, in the body
	first := true
	for i, b := range t.p.body {
		from, to := max(s.from, at), min(s.to, at+b.Len())
		if from < to {
			if first && to < s.to {
				e.new = pad(text, int(s.to-s.from))
			}
			first = false
			part := e.part(from, to)
			t.es.add(edit{b.Start + from - at, b.Start + to - at, part})
			t.grow[i] += int64(len(part)) - (to - from)
		}
		if at += b.Len(); at >= s.to {
			return
		}
	}
}

func pad(text []byte, n int) []byte {
	if len(text) >= n {
		return text
	}
	return append(bytes.Repeat([]byte(" "), n-len(text)), text...)
}

// recode puts in the new form of a whole body span.
func (t *take) recode(i int) {
	b := t.p.body[i]
	last := i == len(t.p.body)-1 && t.p.m.Complete
	text := t.re.piece(t.p.m.Wire.Bytes(b.Start, b.End), last, func(to int64) {
		for ; t.site < len(t.p.sites) && t.p.sites[t.site].from < to; t.site++ {
			s := &t.p.sites[t.site]
			if text := t.as.value(s.kind, s.raw); text != s.raw {
				t.re.es.add(edit{s.from, s.to, []byte(text)})
			}
		}
	})
	t.es.add(edit{b.Start, b.End, text})
	t.grow[i] = int64(len(text)) - b.Len()
}

// chunkSize corrects the size line in front of a body span.
func (t *take) chunkSize(i int) {
	if t.grow[i] == 0 {
		return
	}
	from := t.p.gap(i) + t.p.lead(i)
	line := t.p.m.Wire.Bytes(from, t.p.body[i].Start)
	n := 0
	for n < len(line) && bytes.IndexByte([]byte("0123456789abcdefABCDEF"), line[n]) >= 0 {
		n++
	}
	size, err := strconv.ParseInt(string(line[:n]), 16, 63)
	if err != nil {
		return
	}
	text := strconv.AppendInt(nil, size+t.grow[i], 16)
	if bytes.ContainsAny(line[:n], "ABCDEF") {
		text = bytes.ToUpper(text)
	}
	for len(text) < n && line[0] == '0' {
		text = append([]byte("0"), text...)
	}
	t.es.add(edit{from, from + int64(n), text})
}
