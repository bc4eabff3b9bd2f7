package capture

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"time"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/sse"
)

// maxDecoded bounds what a content coding may unpack to.
const maxDecoded = maxJSONBody

// Piece is a run of body bytes that became readable together, decoded as far as they go.
type Piece struct {
	Start  int64 // offset in the decoded body
	Data   []byte
	At     time.Duration
	Packet int64
	body   int64 // identity coding: offset in the body of Data[0]
	wire   int64 // in Wire: of Data[0] (identity), or just past what was needed to decode it (coded)
	coded  bool
}

// wireEnd returns how many bytes of Wire the first n bytes of the piece need.
func (p *Piece) wireEnd(n int64) int64 {
	if p.coded {
		return p.wire
	}
	return p.wire + n
}

// ErrCoding tells that a content coding is not known or its bytes are damaged.
var ErrCoding = errors.New("content coding cannot be undone")

// Pieces calls f with the message's body, in order, as a reader would have met it: transfer coding is off and content
// coding undone as far as the bytes go. A hole in the capture appears as zero bytes where the coding is identity, and
// ends the decoding where it is not. Pieces are lent for the call; f returns false to stop.
//
// It returns the number of body bytes met before decoding and, where it stopped short, ErrCoding (wrapped, with
// coding.ErrLimit where there is more than is unpacked) or why the bytes could not be read back.
func (m *Message) Pieces(f func(*Piece) bool) (int64, error) {
	enc := m.coding()
	if enc == "" {
		return m.rawPieces(f)
	}
	dec, err := coding.New(enc, maxDecoded)
	if err != nil {
		n, readErr := m.rawPieces(func(*Piece) bool { return true })
		return n, errors.Join(ErrCoding, err, readErr)
	}
	defer dec.Close()
	var out int64
	more := true
	n, readErr := m.rawPieces(func(p *Piece) bool {
		if more && m.holed(p.wire, p.wire+int64(len(p.Data))) {
			more, err = false, errors.New("bytes are missing from the capture")
		}
		if !more {
			return true // count on
		}
		end := p.wire + int64(len(p.Data))
		dec.Write(p.Data, func(b []byte) {
			if more {
				more = f(&Piece{Start: out, Data: b, At: p.At, Packet: p.Packet, wire: end, coded: true})
				out += int64(len(b))
			}
		})
		return true
	})
	if more {
		if c, ok := m.LastChunk(); ok {
			dec.Finish(func(b []byte) {
				f(&Piece{Start: out, Data: b, At: c.At, Packet: c.Packet, wire: m.Wire.Len(), coded: true})
				out += int64(len(b))
			})
		}
	}
	if err == nil {
		err = dec.Err()
	}
	if err != nil {
		err = errors.Join(ErrCoding, err)
	}
	return n, errors.Join(err, readErr)
}

// coding returns the content coding in lower case, "" for none.
func (m *Message) coding() string {
	if m.Head == nil {
		return ""
	}
	enc := strings.ToLower(strings.TrimSpace(m.Head.Get("Content-Encoding")))
	if enc == "identity" {
		return ""
	}
	return enc
}

// spans walks the body with the content coding left on, in pieces as large as they stand in memory; At and Packet are
// those of a piece's first byte.
func (m *Message) spans(f func(*Piece) bool) (int64, error) {
	var off int64
	var piece Piece
	for _, s := range m.Body {
		at := s.Start
		err := m.Wire.Range(at, min(s.End, m.Wire.Len()), func(p []byte) error {
			piece = Piece{Start: off, Data: p, body: off, wire: at}
			piece.At, piece.Packet = m.TimeAt(at)
			f(&piece)
			off += int64(len(p))
			at += int64(len(p))
			return nil
		})
		if err != nil {
			return off, err
		}
	}
	return off, nil
}

// rawPieces walks the body with the content coding left on.
func (m *Message) rawPieces(f func(*Piece) bool) (int64, error) {
	var off int64
	var piece Piece
	chunk := 0
	for _, span := range m.Body {
		for at := span.Start; at < span.End; {
			for chunk+1 < len(m.Chunks) && m.Chunks[chunk+1].Off <= at {
				chunk++
			}
			end := min(span.End, m.Wire.Len())
			if chunk+1 < len(m.Chunks) {
				end = min(end, m.Chunks[chunk+1].Off)
			}
			if at >= end {
				return off, nil
			}
			c := &m.Chunks[chunk]
			more := true
			err := m.Wire.Range(at, end, func(p []byte) error {
				if more {
					piece = Piece{Start: off, Data: p, At: c.At, Packet: c.Packet, body: off, wire: at}
					more = f(&piece)
				}
				off += int64(len(p))
				at += int64(len(p))
				return nil
			})
			if err != nil || !more {
				return off, err
			}
		}
	}
	return off, nil
}

// holed reports whether bytes of Wire [start, end) were not captured.
func (m *Message) holed(start, end int64) bool {
	for _, h := range m.Holes {
		if h.Start < end && h.End > start || h.Len() == 0 && h.Start >= start && h.Start < end {
			return true
		}
	}
	return false
}

// Media returns the media type of the body in lower case, without parameters; "" where there is none.
func (m *Message) Media() string {
	if m.Head == nil {
		return ""
	}
	t, _, _ := strings.Cut(m.Head.Get("Content-Type"), ";")
	return strings.ToLower(strings.TrimSpace(t))
}

// IsSSE reports whether the body is a stream of server-sent events.
func (m *Message) IsSSE() bool { return m.Media() == "text/event-stream" }

// IsJSON reports whether the body is JSON.
func (m *Message) IsJSON() bool {
	t := m.Media()
	return t == "application/json" || strings.HasSuffix(t, "+json")
}

// Block is one SSE event with the moment and the place of the byte that dispatched it.
type Block struct {
	*sse.Event               // lent for the call
	At         time.Duration // since the exchange's start
	Packet     int64
	WireEnd    int64         // bytes of Wire that must have arrived for it
	Holed      bool          // bytes of it were not captured
	MaxGap     time.Duration // longest silence between body bytes before it
}

// BlockHandler receives what Blocks finds.
type BlockHandler interface {
	// Block is an event, or a block that dispatched nothing.
	Block(b *Block)
	// Comment is one comment line.
	Comment(start, end int64, at time.Duration)
	// CRLF tells that the LF which completes the CR that dispatched the event ending at end has arrived.
	CRLF(end int64)
}

// Stream is what Blocks learns of a body as a whole.
type Stream struct {
	WireBytes, DecodedBytes int64
	Tail                    sse.Tail
	BOM                     bool
	FirstAt, LastAt         time.Duration // of the first and the last body byte; -1: none
	MaxGap                  time.Duration // longest silence between body bytes
	Err                     error         // ErrCoding
}

// Blocks reads the body as server-sent events by the rules of the HTML standard and calls h for each, in order.
func (m *Message) Blocks(h BlockHandler) Stream {
	w := blockWalker{m: m, h: h, s: Stream{FirstAt: -1, LastAt: -1}}
	sc := scanners.Get().(*sse.Scanner)
	defer func() {
		sc.Reset(nil)
		scanners.Put(sc)
	}()
	sc.Reset(&w)
	each := func(p *Piece) bool {
		w.piece = p
		if w.s.FirstAt < 0 {
			w.s.FirstAt = p.At
		}
		w.silence(p.At)
		w.s.DecodedBytes = p.Start + int64(len(p.Data))
		sc.Write(p.Data)
		w.passed(p.wireEnd(int64(len(p.Data))))
		return true
	}
	if m.coding() == "" {
		w.s.WireBytes, w.s.Err = m.spans(each)
	} else {
		w.s.WireBytes, w.s.Err = m.Pieces(each)
	}
	w.s.Tail, w.s.BOM = sc.Tail(), sc.BOM()
	w.s.Tail.Data = bytes.Clone(w.s.Tail.Data)
	return w.s
}

var scanners = sync.Pool{New: func() any { return sse.NewScanner(nil) }}

// blockWalker gives the scanner's events their times.
type blockWalker struct {
	m     *Message
	h     BlockHandler
	piece *Piece
	block Block
	s     Stream
	last  int64 // WireEnd of the event before
	chunk int   // index of the chunk that holds the last byte looked at
}

// at returns when the bytes of Wire before end were readable, and by which packet. The pieces of an identity body may
// span several chunks; calls come in ascending order.
func (w *blockWalker) at(end int64) (time.Duration, int64) {
	if w.piece.coded {
		return w.piece.At, w.piece.Packet
	}
	w.passed(end)
	c := &w.m.Chunks[w.chunk]
	return c.At, c.Packet
}

// passed moves on to the chunk that holds the byte before end, and measures the silences on the way.
func (w *blockWalker) passed(end int64) {
	if w.piece.coded {
		return
	}
	cs := w.m.Chunks
	for w.chunk+1 < len(cs) && cs[w.chunk+1].Off < end {
		if w.chunk++; cs[w.chunk].Off >= w.piece.wire {
			w.silence(cs[w.chunk].At)
		}
	}
}

// silence takes note of body bytes that came at the moment at.
func (w *blockWalker) silence(at time.Duration) {
	if w.s.LastAt >= 0 {
		w.s.MaxGap = max(w.s.MaxGap, at-w.s.LastAt)
	}
	w.s.LastAt = at
}

// Event implements sse.Handler.
func (w *blockWalker) Event(e *sse.Event) {
	end := w.piece.wireEnd(e.End - w.piece.Start)
	at, packet := w.at(end)
	w.block = Block{Event: e, At: at, Packet: packet, WireEnd: end, Holed: len(w.m.Holes) > 0 && w.m.holed(w.last, end), MaxGap: w.s.MaxGap}
	w.last = end
	w.h.Block(&w.block)
}

// Comment implements sse.Handler.
func (w *blockWalker) Comment(start, end int64) {
	at, _ := w.at(w.piece.wireEnd(end - w.piece.Start))
	w.h.Comment(start, end, at)
}

// CRLF implements sse.Handler.
func (w *blockWalker) CRLF(end int64) { w.h.CRLF(end) }

// DecodedAt returns when byte off of the decoded body became readable; -1: never. It walks the body.
func (m *Message) DecodedAt(off int64) time.Duration {
	at := time.Duration(-1)
	m.Pieces(func(p *Piece) bool {
		if off < p.Start+int64(len(p.Data)) {
			at = p.At
			return false
		}
		return true
	})
	return at
}
