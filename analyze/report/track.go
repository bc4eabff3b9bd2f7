package report

import (
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// Track is the course of one exchange's response, kept for pictures and time lines when its bytes are gone: when body
// bytes came, and what they dispatched. Times count from the exchange's first request byte.
type Track struct {
	Chunks []TrackChunk
	Events []TrackEvent
	Left   int // chunks and events beyond the limits
	// Request and Body are the payload of a message that is no event stream, where payload was asked for; cut.
	Request, Body []byte
}

// TrackChunk is a run of body bytes that became readable at one moment.
type TrackChunk struct {
	End    int64 // offset just past it, before content coding is taken off
	At     time.Duration
	Seen   time.Duration
	Packet int64
}

// TrackEvent is an SSE event or a comment.
type TrackEvent struct {
	Start, End int64 // in the decoded body
	At         time.Duration
	Packet     int64
	Kind       string // event, comment, block: dispatched nothing
	Type       string // field event
	HasID      bool
	Data       []byte // where payload was asked for; cut
	DataLen    int
}

// TrackOptions bound a Track.
type TrackOptions struct {
	Max     int // chunks, and events; 0: 512
	Payload int // bytes of payload kept of each event; 0: none
}

// NewTrack reads the course of ex. It keeps nothing of ex.
func NewTrack(ex *capture.Exchange, o TrackOptions) *Track {
	if o.Max == 0 {
		o.Max = 512
	}
	t := &tracker{Track: &Track{}, o: o}
	t.chunks(&ex.Response)
	if ex.Response.IsSSE() {
		ex.Response.Blocks(t)
	}
	if o.Payload > 0 {
		t.Request = start(&ex.Request, o.Payload)
		if !ex.Response.IsSSE() {
			t.Body = start(&ex.Response, o.Payload)
		}
	}
	return t.Track
}

// tracker builds a Track.
type tracker struct {
	*Track
	o TrackOptions
}

// chunks notes when body bytes came: what came by one packet counts once.
func (t *tracker) chunks(m *capture.Message) {
	var body int64
	next := 0
	for _, s := range m.Body {
		for next < len(m.Chunks) && m.Chunks[next].Off <= s.Start {
			next++
		}
		for at := s.Start; at < s.End && next > 0; {
			end := s.End
			if next < len(m.Chunks) {
				end = min(end, m.Chunks[next].Off)
			}
			body += end - at
			c := &m.Chunks[next-1]
			t.chunk(TrackChunk{body, c.At, c.Seen, c.Packet})
			if at = end; at < s.End {
				next++
			}
		}
	}
}

func (t *tracker) chunk(c TrackChunk) {
	n := len(t.Chunks)
	if n > 0 && t.Chunks[n-1].At == c.At && t.Chunks[n-1].Packet == c.Packet {
		t.Chunks[n-1].End = c.End
		return
	}
	if n >= t.o.Max {
		t.Chunks[n-1].End, t.Chunks[n-1].At, t.Chunks[n-1].Packet = c.End, c.At, c.Packet
		t.Left++
		return
	}
	t.Chunks = append(t.Chunks, c)
}

// Block implements capture.BlockHandler.
func (t *tracker) Block(b *capture.Block) {
	kind := "event"
	if !b.HasData {
		kind = "block"
	}
	e := TrackEvent{Start: b.Start, End: b.End, At: b.At, Packet: b.Packet, Kind: kind, Type: clip(b.Type, 40), HasID: b.HasID, DataLen: len(b.Data)}
	if t.o.Payload > 0 {
		e.Data = append([]byte(nil), b.Data[:min(len(b.Data), t.o.Payload)]...)
	}
	t.event(e)
}

// Comment implements capture.BlockHandler.
func (t *tracker) Comment(start, end int64, at time.Duration) {
	t.event(TrackEvent{Start: start, End: end, At: at, Kind: "comment"})
}

// CRLF implements capture.BlockHandler.
func (t *tracker) CRLF(int64) {}

// event keeps the first events; of the rest the newest, so that what came last is there too.
func (t *tracker) event(e TrackEvent) {
	if n := len(t.Events); n >= t.o.Max {
		t.Events[n-1] = e
		t.Left++
		return
	}
	t.Events = append(t.Events, e)
}

// start returns the first n bytes of a body, decoded.
func start(m *capture.Message, n int) []byte {
	var out []byte
	m.Pieces(func(p *capture.Piece) bool {
		out = append(out, p.Data[:min(len(p.Data), n-len(out))]...)
		return len(out) < n
	})
	return out
}

// Tracks keeps the Tracks of exchanges until the report is written.
type Tracks struct {
	O      TrackOptions
	Budget int // bytes of payload kept in all; 0: 64 MiB. Beyond it Tracks have none
	by     map[trackKey]*Track
	used   int
}

type trackKey struct {
	conn *capture.Conn
	seq  int64
}

// Add keeps the Track of ex. Most exchanges are a request and a short answer: a few hundred bytes each.
func (t *Tracks) Add(ex *capture.Exchange) {
	if t.by == nil {
		t.by = map[trackKey]*Track{}
	}
	o := t.O
	if t.Budget == 0 {
		t.Budget = 64 << 20
	}
	if t.used >= t.Budget {
		o.Payload = 0
	}
	k := NewTrack(ex, o)
	t.used += k.payload()
	t.by[trackKey{ex.Conn, ex.Seq}] = k
}

func (t *Track) payload() int {
	n := len(t.Request) + len(t.Body)
	for i := range t.Events {
		n += len(t.Events[i].Data)
	}
	return n
}

// Of returns the Track of c, nil where there is none.
func (t *Tracks) Of(c *analyze.Case) *Track {
	if t == nil {
		return nil
	}
	return t.by[trackKey{c.Conn, c.Seq}]
}
