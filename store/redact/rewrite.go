package redact

import (
	"bytes"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"mcptrace/capture"
	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/http1"
)

// uncoded returns m with its body's content coding taken off, and whether that had its end. The error is ErrCoded, wrapped, where the coding is not known
// or its bytes are damaged or missing: what cannot be read cannot be redacted.
func uncoded(m *capture.Message, from capture.Side, method string) (out *capture.Message, whole bool, err error) {
	if len(m.Holes) > 0 {
		return nil, false, fmt.Errorf("%w: bytes of it are missing", ErrCoded)
	}
	dec, err := coding.New(m.Head.Get("Content-Encoding"), maxMessage)
	if err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrCoded, err)
	}
	defer dec.Close()
	w := newRewriter(m, "identity")
	w.body(func(p []byte) (out []byte) {
		dec.Write(p, func(b []byte) { out = append(out, b...) })
		return out
	}, func() (out []byte) {
		dec.Finish(func(b []byte) { out = append(out, b...) })
		return out
	})
	if err := dec.Err(); err != nil {
		return nil, false, fmt.Errorf("%w: %w", ErrCoded, err)
	}
	out, err = w.message(from, method)
	return out, dec.Whole(), err
}

// recoded returns m with a content coding put on its body, whole or without its end; first is the first byte of a body so
// coded.
func recoded(m *capture.Message, encoding string, first byte, whole bool, from capture.Side, method string) (*capture.Message, error) {
	enc, err := coding.NewEncoder(encoding, first)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCoded, err)
	}
	w := newRewriter(m, encoding)
	w.body(enc.Write, func() []byte {
		if !whole {
			return nil
		}
		return enc.Close()
	})
	return w.message(from, method)
}

// rewriter writes a message anew, with another content coding: what comes out of bytes that became readable together has
// their time, and is acknowledged where all of these were, so that a reader meets the same body at the same moments.
// Framing and lengths that the head announces are written anew.
type rewriter struct {
	m        *capture.Message
	encoding string
	wire     []byte
	spans    [][]piece // of each span of the body
	length   int64     // of the new body
	out      []byte
	written  []capture.Span // of the new body, in out
	moves    []move         // ascending
}

// piece is what came out of the bytes before end that the one before had not given.
type piece struct {
	end  int64 // in the old wire
	data []byte
}

// move says that what ends at old in the old wire ends at new in the new one.
type move struct{ old, new int64 }

func newRewriter(m *capture.Message, encoding string) *rewriter {
	return &rewriter{m: m, encoding: encoding, wire: m.Wire.Bytes(0, m.Wire.Len())}
}

// body passes the body through put, piece by piece as the bytes became readable. What finish gives belongs to the last.
func (w *rewriter) body(put func([]byte) []byte, finish func() []byte) {
	var last *piece
	for _, s := range w.m.Body {
		var ps []piece
		for at := s.Start; at < s.End; {
			end := w.until(at, s.End)
			ps = append(ps, piece{end, put(w.wire[at:end])})
			w.length += int64(len(ps[len(ps)-1].data))
			last = &ps[len(ps)-1]
			at = end
		}
		w.spans = append(w.spans, ps)
	}
	if last != nil {
		rest := finish()
		last.data = append(last.data, rest...)
		w.length += int64(len(rest))
	}
}

// until returns where the bytes that became readable together with the one at at end, end at most.
func (w *rewriter) until(at, end int64) int64 {
	i := sort.Search(len(w.m.Chunks), func(i int) bool { return w.m.Chunks[i].Off > at })
	if i < len(w.m.Chunks) {
		end = min(end, w.m.Chunks[i].Off)
	}
	return end
}

// message puts the new message together.
func (w *rewriter) message(from capture.Side, method string) (*capture.Message, error) {
	m := w.m
	w.out = append(w.out, w.wire[:m.HeadStart]...)
	w.out = append(w.out, w.head(w.wire[m.HeadStart:m.HeadEnd])...)
	headEnd := int64(len(w.out))
	w.moves = append(w.moves, move{m.HeadEnd, headEnd})
	rest := m.HeadEnd
	for i, s := range m.Body {
		w.span(w.wire[rest:s.Start], s, w.spans[i], i == len(m.Body)-1)
		rest = s.End
	}
	tail := w.wire[rest:]
	if len(w.written) == 0 && m.Head.Framing == http1.Chunked {
		tail = bytes.TrimPrefix(tail, []byte("\r\n"))
	}
	w.moves = append(w.moves, move{int64(len(w.wire) - len(tail)), int64(len(w.out))})
	w.out = append(w.out, tail...)

	head := capture.ParseHead(w.out[m.HeadStart:headEnd], from, method)
	if head == nil || head.Framing != m.Head.Framing {
		return nil, fmt.Errorf("%w, and its head cannot be written anew", ErrCoded)
	}
	head.Trailers = m.Head.Trailers
	return &capture.Message{Head: head, Wire: capture.BlobOf(w.out), HeadStart: m.HeadStart, HeadEnd: headEnd, Body: w.written,
		Chunks: w.chunks(), Acks: w.acks(), Complete: m.Complete, Cut: m.Cut}, nil
}

// head writes what the head says of coding and length anew.
func (w *rewriter) head(text []byte) []byte {
	var out []byte
	for _, line := range bytes.SplitAfter(text, []byte("\n")) {
		name, value, colon := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		switch strings.ToLower(string(name)) {
		case "content-encoding":
			value = []byte(" " + w.encoding)
		case "content-length":
			if n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64); err == nil {
				value = fmt.Appendf(nil, " %d", max(0, n-w.m.BodyLen()+w.length))
			}
		}
		out = append(out, name...)
		if colon {
			out = append(append(out, ':'), value...)
		}
		out = append(out, line[len(bytes.TrimRight(line, "\r\n")):]...)
	}
	return out
}

// span writes one span of the body and the framing before it. A transfer chunk of which nothing came out is left away:
// an empty one would be the last.
func (w *rewriter) span(framing []byte, s capture.Span, ps []piece, last bool) {
	n := int64(0)
	for i := range ps {
		n += int64(len(ps[i].data))
	}
	switch {
	case w.m.Head.Framing != http1.Chunked:
		w.out = append(w.out, framing...)
	case n > 0:
		if len(w.written) > 0 {
			w.out = append(w.out, "\r\n"...)
		}
		size := n
		if last && s.End == int64(len(w.wire)) {
			size += max(0, announced(framing)-s.Len()) // the rest of the chunk never came
		}
		w.out = fmt.Appendf(w.out, "%x\r\n", size)
	}
	start := int64(len(w.out))
	for i := range ps {
		w.out = append(w.out, ps[i].data...)
		w.moves = append(w.moves, move{ps[i].end, int64(len(w.out))})
	}
	switch end := int64(len(w.out)); {
	case n == 0:
	case len(w.written) > 0 && w.written[len(w.written)-1].End == start:
		w.written[len(w.written)-1].End = end
	default:
		w.written = append(w.written, capture.Span{Start: start, End: end})
	}
}

// announced returns the size in the last line of what stands before a transfer chunk; 0 where there is none.
func announced(framing []byte) int64 {
	lines := bytes.Fields(framing)
	if len(lines) == 0 {
		return 0
	}
	size, _, _ := bytes.Cut(lines[len(lines)-1], []byte(";"))
	n, _ := strconv.ParseInt(string(size), 16, 64)
	return n
}

// moved returns how much of the new wire had come with the first old bytes of the old one: no part of what came out of
// bytes that became readable together.
func (w *rewriter) moved(old int64) int64 {
	i := sort.Search(len(w.moves), func(i int) bool { return w.moves[i].old > old }) - 1
	switch {
	case i < 0:
		return min(old, w.moves[0].new)
	case i == len(w.moves)-1: // behind the body nothing has changed
		return min(w.moves[i].new+old-w.moves[i].old, int64(len(w.out)))
	}
	return w.moves[i].new
}

// chunks returns when the new bytes were readable.
func (w *rewriter) chunks() []capture.Chunk {
	var out []capture.Chunk
	for _, c := range w.m.Chunks {
		c.Off = w.moved(c.Off)
		switch n := len(out); {
		case n > 0 && out[n-1].Off == c.Off:
			out[n-1] = c
		case c.Off < int64(len(w.out)):
			out = append(out, c)
		}
	}
	return out
}

func (w *rewriter) acks() []capture.Ack {
	var out []capture.Ack
	for _, a := range w.m.Acks {
		a.Off = w.moved(a.Off)
		if n := len(out); n == 0 || out[n-1].Off < a.Off {
			out = append(out, a)
		}
	}
	return out
}
