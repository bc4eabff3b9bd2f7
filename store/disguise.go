package store

import (
	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/sse"
	"mcptrace/store/secret"
)

// Limits of what is looked at for secrets by name.
const (
	maxHeads  = 4 << 20  // bytes of heads in one message, interim ones included
	maxPrefix = 16 << 10 // bytes of an event stream in which its endpoint event is looked for
)

// disguise is what masking an exchange comes to: the secrets in its heads are learnt before any body is searched. Its memory
// is used again for the next exchange.
type disguise struct {
	mask     *secret.Masker // nil: nothing is masked
	request  []patch
	response []patch
	mem      []byte // of the patches
}

// begin turns to ex and masks its heads and its endpoint event.
func (d *disguise) begin(ex *capture.Exchange) {
	d.request, d.response, d.mem = d.request[:0], d.response[:0], reused(d.mem)
	if d.mask == nil {
		return
	}
	d.request, d.response = d.heads(d.request, ex, &ex.Request), d.heads(d.response, ex, &ex.Response)
	if ex.Response.IsSSE() && !coded(&ex.Response) && (ex.Request.Head == nil || ex.Request.Head.Method == "GET") {
		d.response = append(d.response, d.endpoint(&ex.Response)...)
	}
}

// mostKept is how many bytes of memory are kept to be used again: few exchanges need so many.
const mostKept = 256 << 10

// reused returns b without what stands in it, or nothing where it is large.
func reused(b []byte) []byte {
	if cap(b) > mostKept {
		return nil
	}
	return b[:0]
}

// heads masks what stands before the body of m and the trailers behind it, and appends the patches to out.
func (d *disguise) heads(out []patch, ex *capture.Exchange, m *capture.Message) []patch {
	if ex.Proto == "stdio" {
		return out
	}
	end := m.HeadEnd
	if m.Head == nil {
		end = m.Wire.Len()
	}
	out = d.region(m, out, 0, min(end, m.Wire.Len(), maxHeads))
	if m.Head != nil && m.Head.Framing == http1.Chunked {
		start := m.HeadEnd
		if n := len(m.Body); n > 0 {
			start = m.Body[n-1].End
		}
		out = d.region(m, out, start, min(m.Wire.Len(), start+http1.MaxHead+http1.MaxChunkLine))
	}
	return out
}

func (d *disguise) region(m *capture.Message, out []patch, start, end int64) []patch {
	if start >= end {
		return out
	}
	text := d.copy(m, start, end)
	d.mask.Head(text)
	zeroHoles(m, start, text)
	return append(out, patch{start, text})
}

// copy returns a copy of bytes of m, nil where they cannot be read.
func (d *disguise) copy(m *capture.Message, start, end int64) []byte {
	at := len(d.mem)
	if m.Wire.Range(start, end, func(p []byte) error { d.mem = append(d.mem, p...); return nil }) != nil {
		return nil
	}
	return d.mem[at:len(d.mem):len(d.mem)]
}

// endpoint masks the address in the endpoint event of an HTTP+SSE stream. It names the session.
func (d *disguise) endpoint(m *capture.Message) []patch {
	text, spans := bodyPrefix(m, maxPrefix)
	var find endpointFinder
	sc := sse.NewScanner(&find)
	sc.Write(text)
	var out []patch
	for _, f := range find.found {
		d.mask.Query(text[f.Start:f.End], true)
		d.mask.Text(text[f.Start:f.End])
		var at int64 // in text, of the span's first byte
		for _, s := range spans {
			a, b := max(at, f.Start), min(at+s.Len(), f.End)
			if a < b {
				out = append(out, patch{s.Start + a - at, text[a:b]})
			}
			at += s.Len()
		}
	}
	return out
}

// endpointFinder collects where the data of endpoint events stands.
type endpointFinder struct{ found []capture.Span }

// Event implements sse.Handler.
func (e *endpointFinder) Event(ev *sse.Event) {
	if ev.Type == "endpoint" && ev.JSONOffset >= 0 && ev.DataEnd > ev.JSONOffset {
		e.found = append(e.found, capture.Span{Start: ev.JSONOffset, End: ev.DataEnd})
	}
}

// Comment implements sse.Handler.
func (e *endpointFinder) Comment(int64, int64) {}

// CRLF implements sse.Handler.
func (e *endpointFinder) CRLF(int64) {}

// head returns a masked copy of h.
func (d *disguise) head(h *http1.Head) *http1.Head {
	if d.mask == nil {
		return h
	}
	c := *h
	c.Target = d.target(h)
	c.Fields, c.Trailers = d.fields(h.Fields), d.fields(h.Trailers)
	return &c
}

func (d *disguise) target(h *http1.Head) string {
	if d.mask == nil {
		return h.Target
	}
	t := []byte(h.Target)
	d.mask.Target(h.Method, t)
	return string(t)
}

func (d *disguise) fields(fields []http1.Field) []http1.Field {
	out := make([]http1.Field, len(fields))
	for i, f := range fields {
		value := []byte(f.Value)
		d.mask.Field(f.Name, value)
		out[i] = http1.Field{Name: f.Name, Value: string(value)}
	}
	return out
}

// text returns s with known values masked.
func (d *disguise) text(s string) string {
	if d.mask == nil || !d.mask.Knows() {
		return s
	}
	b := []byte(s)
	d.mask.Query(b, false)
	d.mask.Text(b)
	return string(b)
}
