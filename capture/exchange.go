package capture

import (
	"slices"
	"sort"
	"time"

	"mcptrace/capture/wire/http1"
)

// Exchange is one HTTP request and the response to it, as they passed. It holds observations only; what they mean is
// worked out from them (see Read) and never stored.
//
// All durations in it count from Start.
type Exchange struct {
	Seq    int64 // order of first request bytes within one recording, from 0
	Conn   *Conn
	Stream uint32 // HTTP/2 stream, 0 otherwise
	Proto  string // "1.0", "1.1", "2", "stdio"

	Start    Instant // first request byte, or first response byte where the request was not captured
	Request  Message // Head is nil where it was not captured
	Response Message // Head is nil where none came
	Interim  int     // 1xx responses before the final one
	Ending   Ending
	// ClientReset is when the client reset this exchange alone (HTTP/2 RST_STREAM); 0: it did not.
	ClientReset Instant
}

// Message is one HTTP message as it stood on the wire: after TLS, before any coding is taken off. For HTTP/2 the header
// list stands in the form of an HTTP/1 head, followed by the DATA payloads.
type Message struct {
	Head      *http1.Head
	Wire      Blob
	HeadStart int64   // in Wire: where the final head starts; interim responses stand before it
	HeadEnd   int64   // in Wire: just past the head; 0 while it is incomplete
	Body      []Span  // in Wire: where the body's bytes stand once transfer coding is off; ascending, merged
	Holes     []Span  // in Wire: bytes that were not captured; they are zero there. An empty one: some are missing at that place
	Chunks    []Chunk // ascending by Off, the first at 0
	Acks      []Ack   // ascending by Off and At
	Complete  bool    // the framing was complete
	Cut       bool    // one of our limits cut bytes off
}

// Span is the bytes [Start, End).
type Span struct{ Start, End int64 }

// Len returns the number of bytes.
func (s Span) Len() int64 { return s.End - s.Start }

// Chunk is a run of bytes that became readable at one moment. It reaches to the next chunk's Off.
type Chunk struct {
	Off    int64 // in Wire
	Packet int64 // the packet that made it readable, 0 where there are none
	Seen   time.Duration
	At     time.Duration // when a reader could have had it; never decreases
	conn   int64         // offset of the first byte in its direction of the connection
}

// Ack says that the receiving host had acknowledged the bytes before Off by At, and had not gone by then.
type Ack struct {
	Off int64 // in Wire
	At  time.Duration
}

// Ending is how an exchange's response ended.
type Ending struct {
	Kind   EndKind
	By     string        // client, server or ""
	How    How           // of a close-delimited or absent response: in which way the connection ended
	At     time.Duration // of the last framing byte, the FIN, the reset; -1 for EndOpen
	Packet int64
	Code   uint32 // HTTP/2 error code or TLS alert
	// Unprocessed: HTTP/2 guarantees that the request was not processed (REFUSED_STREAM, or above GOAWAY's last stream).
	Unprocessed bool
}

// EndKind says in which way a response ended.
type EndKind string

// The kinds of ending.
const (
	EndClean          EndKind = "clean"           // the framing was complete
	EndFIN            EndKind = "fin"             // FIN before the framing was complete
	EndRST            EndKind = "rst"             // reset before the framing was complete
	EndH2RST          EndKind = "h2-rst"          // RST_STREAM
	EndGoAway         EndKind = "goaway"          // the stream was above GOAWAY's last
	EndCloseDelimited EndKind = "close-delimited" // the connection's end is the body's end
	EndTLSAlert       EndKind = "tls-alert"       // closed by a TLS alert
	EndOpen           EndKind = "open"            // the capture ended first
	EndNone           EndKind = "none"            // no response byte at all, and the connection is gone
)

// chunkAt returns the index of the chunk that holds byte off, or -1.
func (m *Message) chunkAt(off int64) int {
	return sort.Search(len(m.Chunks), func(i int) bool { return m.Chunks[i].Off > off }) - 1
}

// TimeAt returns when byte off of Wire became readable and by which packet; -1 where there is no such byte.
func (m *Message) TimeAt(off int64) (time.Duration, int64) {
	i := m.chunkAt(off)
	if i < 0 || off >= m.Wire.Len() {
		return -1, 0
	}
	return m.Chunks[i].At, m.Chunks[i].Packet
}

// AckedAt returns when the bytes before off were acknowledged; -1: never seen.
func (m *Message) AckedAt(off int64) time.Duration {
	i := sort.Search(len(m.Acks), func(i int) bool { return m.Acks[i].Off >= off })
	if i == len(m.Acks) {
		return -1
	}
	return m.Acks[i].At
}

// BodyLen returns the number of body bytes, holes included.
func (m *Message) BodyLen() int64 {
	var n int64
	for _, s := range m.Body {
		n += s.Len()
	}
	return n
}

// First returns the first chunk, ok false where there is none.
func (m *Message) First() (Chunk, bool) {
	if len(m.Chunks) == 0 {
		return Chunk{}, false
	}
	return m.Chunks[0], true
}

// LastChunk returns the last chunk, ok false where there is none.
func (m *Message) LastChunk() (Chunk, bool) {
	if len(m.Chunks) == 0 {
		return Chunk{}, false
	}
	return m.Chunks[len(m.Chunks)-1], true
}

// add appends p, seen as s tells, which stands at offset conn of its direction.
func (m *Message) add(p []byte, s Stamp, start Instant, conn int64) {
	if len(p) == 0 {
		return
	}
	m.mark(s, start, conn)
	m.Wire.Append(p)
}

// addHole appends n bytes that were not captured.
func (m *Message) addHole(n int64, s Stamp, start Instant, conn int64) {
	if n <= 0 {
		return
	}
	m.mark(s, start, conn)
	off := m.Wire.Len()
	m.Holes = append(m.Holes, Span{off, off + n})
	m.Wire.AppendZeros(n)
}

// keepHead lets go of what stands behind the head.
func (m *Message) keepHead() {
	end := min(m.HeadEnd, m.Wire.Len())
	head := m.Wire.Bytes(0, end)
	m.Wire.Release()
	m.Wire.Append(head)
	m.Body, m.Holes = nil, slices.DeleteFunc(m.Holes, func(h Span) bool { return h.End > end })
	m.Chunks = slices.DeleteFunc(m.Chunks, func(c Chunk) bool { return c.Off >= end })
	m.Acks = slices.DeleteFunc(m.Acks, func(a Ack) bool { return a.Off > end })
	m.cut()
}

// shrink gives the message memory of just its size: it will be kept for a while.
func (m *Message) shrink() {
	m.Wire.shrink()
	m.Chunks, m.Acks, m.Body = clip(m.Chunks), clip(m.Acks), clip(m.Body)
}

// clip moves what is much too large for what it holds.
func clip[T any](s []T) []T {
	if cap(s) < 2*len(s)+spareChunks {
		return s
	}
	return append(make([]T, 0, len(s)), s...)
}

// cut notes that a limit of ours dropped what follows. Like a hole, it leaves open what that said.
func (m *Message) cut() {
	if !m.Cut {
		m.Cut = true
		m.Holes = append(m.Holes, Span{m.Wire.Len(), m.Wire.Len()})
	}
}

func (m *Message) mark(s Stamp, start Instant, conn int64) {
	c := Chunk{Off: m.Wire.Len(), Packet: s.Packet, Seen: s.Seen.Sub(start), At: s.At.Sub(start), conn: conn}
	if n := len(m.Chunks); n > 0 {
		l := &m.Chunks[n-1]
		if l.Seen == c.Seen && l.At == c.At && l.Packet == c.Packet && l.conn+(c.Off-l.Off) == c.conn {
			return
		}
		c.At = max(c.At, l.At)
	} else if m.Chunks == nil {
		m.begin()
	}
	m.Chunks = append(m.Chunks, c)
}

// addBody notes that the bytes [start, end) of Wire are body.
func (m *Message) addBody(start, end int64) {
	if n := len(m.Body); n > 0 && m.Body[n-1].End == start {
		m.Body[n-1].End = end
		return
	}
	m.Body = append(m.Body, Span{start, end})
}

// ack notes that the bytes of the direction before conn were acknowledged.
func (m *Message) ack(conn int64, at Instant, start Instant) {
	i := sort.Search(len(m.Chunks), func(i int) bool { return m.Chunks[i].conn >= conn }) - 1
	if i < 0 {
		return
	}
	end := m.Wire.Len()
	if i+1 < len(m.Chunks) {
		end = m.Chunks[i+1].Off
	}
	off := min(m.Chunks[i].Off+conn-m.Chunks[i].conn, end)
	if n := len(m.Acks); n > 0 && m.Acks[n-1].Off >= off {
		return
	}
	m.Acks = append(m.Acks, Ack{off, at.Sub(start)})
}

// acked reports whether all bytes are acknowledged.
func (m *Message) acked() bool {
	n := len(m.Acks)
	return n > 0 && m.Acks[n-1].Off >= m.Wire.Len()
}

// Release gives back the memory of both messages: their bytes, and where these stood and when they came. Copies of the
// messages are no good any more either.
func (ex *Exchange) Release() {
	ex.Request.release()
	ex.Response.release()
}

// SinceStart returns the time from ex.Start to i.
func (ex *Exchange) SinceStart(i Instant) time.Duration { return i.Sub(ex.Start) }

// RequestEnd returns when the last request byte passed, since Start.
func (ex *Exchange) RequestEnd() time.Duration {
	if c, ok := ex.Request.LastChunk(); ok {
		return c.At
	}
	return 0
}
