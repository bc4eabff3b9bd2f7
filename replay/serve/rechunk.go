package serve

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
)

// rechunked returns ex with its response in transfer chunks of HTTP/1.1, one for each piece as it came: the form in which
// a response recorded over HTTP/2 is played to a client of HTTP/1.1, and in which a broken stream is resumed. from is the
// offset in the decoded body with which it begins; content coding is taken off where that is not 0.
func rechunked(ex *capture.Exchange, from int64, since time.Duration) *capture.Exchange {
	m := &ex.Response
	out := *ex
	out.Proto, out.Interim = "1.1", 0
	out.Response = capture.Message{Complete: m.Complete}
	if m.Head == nil {
		return &out
	}
	r := &out.Response
	var wire []byte
	add := func(p []byte, at time.Duration) {
		r.Chunks = append(r.Chunks, capture.Chunk{Off: int64(len(wire)), Seen: at, At: at})
		wire = append(wire, p...)
	}
	at, _ := m.TimeAt(max(0, m.HeadEnd-1))
	add(headText(m.Head, from > 0, m.BodyLen() == 0 && m.Complete), max(at, since))
	chunk := func(p []byte, at time.Duration) {
		add(fmt.Appendf(nil, "%x\r\n%s\r\n", len(p), p), max(at, since))
	}
	if from > 0 {
		m.Pieces(func(p *capture.Piece) bool {
			if skip := from - p.Start; skip < int64(len(p.Data)) {
				chunk(p.Data[max(0, skip):], p.At)
			}
			return true
		})
	} else {
		for _, b := range byMoment(m) {
			at, _ := m.TimeAt(b.Start)
			chunk(m.Wire.Bytes(b.Start, b.End), at)
		}
	}
	if m.Complete && (m.BodyLen() > 0 || from > 0) {
		wire = append(wire, "0\r\n\r\n"...)
	}
	r.Head, r.HeadEnd, r.Body, _ = parse(wire, ex.Request.Head.Method)
	r.Wire = capture.BlobOf(wire)
	return &out
}

func parse(wire []byte, method string) (*http1.Head, int64, []span, bool) {
	h, end, found, whole := http1.Spans(wire, false, method)
	var body []span
	for _, s := range found {
		body = append(body, span{Start: s[0], End: s[1]})
	}
	return h, end, body, whole
}

// headText writes the head of a chunked response. plain: content coding has been taken off; empty: there is no body.
func headText(h *http1.Head, plain, empty bool) []byte {
	var b bytes.Buffer
	reason := h.Reason
	if reason == "" {
		reason = http.StatusText(h.Status)
	}
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\n", h.Status, reason)
	for _, f := range h.Fields {
		switch n := strings.ToLower(f.Name); {
		case n == "content-length" || n == "transfer-encoding" || plain && n == "content-encoding":
		default:
			fmt.Fprintf(&b, "%s: %s\r\n", f.Name, f.Value)
		}
	}
	if empty {
		b.WriteString("content-length: 0\r\n\r\n")
	} else {
		b.WriteString("transfer-encoding: chunked\r\n\r\n")
	}
	return b.Bytes()
}

// planFor returns the plan of e in the protocol of the client.
func (r *Recording) planFor(e *entry, out sink) *plan {
	if _, h1 := out.(*conn); !h1 || e.ex.Proto != "2" {
		return r.planOf(e)
	}
	e.inH1.Do(func() {
		ex := rechunked(e.ex, 0, 0)
		e.h1 = &entry{number: e.number, ex: ex, rd: capture.Read(ex), session: e.session, auth: e.auth}
	})
	return r.planOf(e.h1)
}

// resumption makes the exchange with which a client resumes a stream behind the event that its Last-Event-ID names; nil:
// the request is not for that, or there is no such event in the recording.
func (s *Server) resumption(l *live, q *request) *entry {
	last := q.header("Last-Event-ID")
	if q.ex.Request.Head.Method != "GET" || last == "" {
		return nil
	}
	var of *entry
	for _, e := range s.rec.entries {
		if s.rec.planOf(e).eventEnd(last) >= 0 && (of == nil || of.session != l.recorded && e.session == l.recorded) {
			of = e
		}
	}
	if of == nil {
		return nil
	}
	var end int64
	var since time.Duration
	for _, k := range s.rec.planOf(of).marks {
		if k.id == last {
			end = k.end
			since, _ = of.ex.Response.TimeAt(max(0, k.wireEnd-1))
			break
		}
	}
	ex := rechunked(of.ex, end, since)
	ex.Request = capture.Message{Head: q.ex.Request.Head, Complete: true, Chunks: []capture.Chunk{{Seen: since, At: since}}}
	return &entry{number: of.number, ex: ex, rd: capture.Read(ex), session: of.session, auth: of.auth}
}
