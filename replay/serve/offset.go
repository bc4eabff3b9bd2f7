package serve

import (
	"sort"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// wireOf returns where byte off of the decoded body stands in Wire. In a coded body it is the end of what comes before
// the event there.
func (p *plan) wireOf(off int64) int64 {
	if p.coding != "" {
		w := p.m.HeadEnd
		for _, k := range p.marks {
			if k.end <= off {
				w = k.wireEnd
			}
		}
		return w
	}
	for _, s := range p.body {
		if off < s.Len() {
			return s.Start + off
		}
		off -= s.Len()
	}
	return p.m.Wire.Len()
}

// cleave returns the last place at or before off where something else may be put between: before the transfer chunk
// that holds it.
func (p *plan) cleave(off int64) int64 {
	if p.m.Head.Framing != http1.Chunked {
		return off
	}
	for i, s := range p.body {
		if off >= s.Start && off < s.End {
			return p.gap(i) + p.lead(i)
		}
	}
	return off
}

// border reports whether something else may be sent between the bytes before off and those from it on.
func (p *plan) border(off int64) bool {
	if p.m.Head == nil || p.coding != "" || off < p.m.HeadEnd || p.m.Head.Framing == http1.Length {
		return false
	}
	body := p.bodyBefore(off)
	i := sort.Search(len(p.marks), func(i int) bool { return p.marks[i].end >= body })
	if body > 0 && (i == len(p.marks) || p.marks[i].end != body) {
		return false
	}
	return off == p.m.Wire.Len() && !p.m.Complete || p.cleave(off) == off && !p.inFraming(off)
}

// inFraming reports whether off lies within the framing between two transfer chunks.
func (p *plan) inFraming(off int64) bool {
	if p.m.Head.Framing != http1.Chunked {
		return false
	}
	for i, s := range p.body {
		if g := p.gap(i); off >= g && off < s.Start {
			return off != g+p.lead(i)
		}
	}
	return false
}

// gap returns where the framing in front of body span i begins.
func (p *plan) gap(i int) int64 {
	if i == 0 {
		return p.m.HeadEnd
	}
	return p.body[i-1].End
}

// lead returns how many bytes of the framing in front of body span i belong to the span before it.
func (p *plan) lead(i int) int64 {
	if i == 0 {
		return 0
	}
	if p.m.Wire.At(p.gap(i)) == '\r' {
		return 2
	}
	return 1
}

// cutAt returns where to stop so that the client gets n body bytes.
func (p *plan) cutAt(n int64) int64 {
	if n <= 0 {
		return p.m.HeadEnd
	}
	for _, s := range p.body {
		if n <= s.Len() {
			return s.Start + n
		}
		n -= s.Len()
	}
	if k := len(p.body); k > 0 {
		return p.body[k-1].End
	}
	return p.m.HeadEnd
}

// bodyBefore returns how many body bytes stand before off of Wire.
func (p *plan) bodyBefore(off int64) int64 {
	var n int64
	for _, s := range p.body {
		if s.Start >= off {
			break
		}
		n += min(off, s.End) - s.Start
	}
	return n
}

// byMoment splits the body where a new moment begins.
func byMoment(m *capture.Message) []span {
	var out []span
	for _, s := range m.Body {
		for _, c := range m.Chunks {
			if c.Off > s.Start && c.Off < s.End {
				out = append(out, span{Start: s.Start, End: c.Off})
				s.Start = c.Off
			}
		}
		out = append(out, s)
	}
	return out
}

// at returns when byte off came, since the request's end.
func (p *plan) at(off int64) time.Duration {
	at, _ := p.m.TimeAt(off)
	return max(0, at-p.base)
}

// next returns the first place behind off, and not behind stop, at which a new moment begins or the stream may wait.
func (p *plan) next(off, stop int64) int64 {
	cs := p.m.Chunks
	if i := sort.Search(len(cs), func(i int) bool { return cs[i].Off > off }); i < len(cs) {
		stop = min(stop, cs[i].Off)
	}
	for _, g := range p.gates {
		if g.off > off {
			stop = min(stop, g.off)
		}
	}
	return stop
}
