package store

import (
	"bytes"
	"hash/crc32"
	"strings"

	"mcptrace/capture"
	"mcptrace/store/secret"
)

// blockSize is the length of a block. Secrets are at most secret.MaxKnown bytes long, so one block of foresight is enough
// to mask one that begins in the block before, even where transfer chunks of a byte each spread it out.
const blockSize = 64 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// patch is bytes that stand in place of those of the message, because they are masked.
type patch struct {
	off  int64
	data []byte
}

// wire gives the bytes of a message in blocks, masked. Its memory is used again for the next message.
type wire struct {
	m       *capture.Message
	patches []patch
	mask    *secret.Masker // nil: known values are not looked for in the body

	buf  []byte
	base int64 // offset of buf
	crc  uint32

	span  int   // the first body span that matters still
	from  int64 // values that begin before are masked
	prev  byte  // the body byte before from
	text  []byte
	parts []part
}

// part is a run of body bytes in buf.
type part struct{ text, buf, n int }

// begin turns to a message, with patches. A nil Masker masks nothing else.
func (w *wire) begin(m *capture.Message, patches []patch, mask *secret.Masker) {
	*w = wire{m: m, patches: patches, buf: w.buf[:0], text: w.text[:0], parts: w.parts[:0]}
	if mask != nil && mask.Knows() && !coded(m) && len(m.Body) > 0 {
		w.mask = mask
	}
}

// blocks calls f with each block, lent for the call.
func (w *wire) blocks(f func(n int, p []byte) error) error {
	size := blockSize
	if w.mask != nil {
		size = 2 * blockSize
	}
	n := 0
	emit := func(k int) error {
		if w.mask != nil {
			w.search(w.base + int64(k))
		}
		p := w.buf[:k]
		w.crc = crc32.Update(w.crc, castagnoli, p)
		if err := f(n, p); err != nil {
			return err
		}
		n++
		w.buf = w.buf[:copy(w.buf, w.buf[k:])]
		w.base += int64(k)
		return nil
	}
	err := w.m.Wire.Range(0, w.m.Wire.Len(), func(p []byte) error {
		for len(p) > 0 {
			k := min(len(p), size-len(w.buf))
			w.take(p[:k])
			p = p[k:]
			if len(w.buf) == size {
				if err := emit(blockSize); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for err == nil && len(w.buf) > 0 {
		err = emit(min(blockSize, len(w.buf)))
	}
	return err
}

// take adds p to buf, with what is patched in it.
func (w *wire) take(p []byte) {
	start := w.base + int64(len(w.buf))
	at := len(w.buf)
	w.buf = append(w.buf, p...)
	end := start + int64(len(p))
	for _, q := range w.patches {
		a, b := max(start, q.off), min(end, q.off+int64(len(q.data)))
		if a < b {
			copy(w.buf[at+int(a-start):], q.data[a-q.off:b-q.off])
		}
	}
}

// search masks the known values that begin in the body before limit.
func (w *wire) search(limit int64) {
	text, n := w.gather(limit)
	k := 0
	var last byte
	if n > 0 {
		last = text[n-1]
	}
	w.mask.Find(text, n, w.prev, func(start int, placeholder string) {
		for done := 0; done < len(placeholder); {
			for start+done >= w.parts[k].text+w.parts[k].n {
				k++
			}
			p := w.parts[k]
			done += copy(w.buf[p.buf+start+done-p.text:p.buf+p.n], placeholder[done:])
		}
	})
	if n > 0 {
		w.prev = last
	}
	w.from = limit
}

// gather returns the body bytes in buf from w.from on, without what transfer coding puts between them, and how many of
// them stand before limit.
func (w *wire) gather(limit int64) (text []byte, n int) {
	w.text, w.parts = w.text[:0], w.parts[:0]
	end := w.base + int64(len(w.buf))
	for w.span < len(w.m.Body) && w.m.Body[w.span].End <= w.from {
		w.span++
	}
	for _, s := range w.m.Body[w.span:] {
		a, b := max(s.Start, w.from), min(s.End, end)
		if a >= end {
			break
		}
		run := w.buf[a-w.base : b-w.base]
		w.parts = append(w.parts, part{len(w.text), int(a - w.base), len(run)})
		if s.End >= end && len(w.parts) == 1 {
			text = run // in one piece: no need to copy
		} else {
			w.text = append(w.text, run...)
		}
		n += int(max(0, min(b, limit)-a))
	}
	if text == nil {
		text = w.text
	}
	return text, n
}

// coded reports whether the body has a content coding, so that nothing in it can be replaced.
func coded(m *capture.Message) bool {
	if m.Head == nil {
		return false
	}
	c := strings.TrimSpace(m.Head.Get("Content-Encoding"))
	return c != "" && !strings.EqualFold(c, "identity")
}

// zeroHoles undoes what masking did to bytes of p, which stand at off, that were not captured.
func zeroHoles(m *capture.Message, off int64, p []byte) {
	for _, h := range m.Holes {
		a, b := max(h.Start, off), min(h.End, off+int64(len(p)))
		if a < b {
			clear(p[a-off : b-off])
		}
	}
}

// bodyPrefix returns at most n bytes of the body, and the spans they stand in.
func bodyPrefix(m *capture.Message, n int64) ([]byte, []capture.Span) {
	var out bytes.Buffer
	var spans []capture.Span
	for _, s := range m.Body {
		left := n - int64(out.Len())
		if left <= 0 {
			break
		}
		s.End = min(s.End, s.Start+left)
		spans = append(spans, s)
		out.Write(m.Wire.Bytes(s.Start, s.End))
	}
	return out.Bytes(), spans
}
