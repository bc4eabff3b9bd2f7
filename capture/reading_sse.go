package capture

import (
	"time"

	"mcptrace/capture/wire/jsonrpc"
	"mcptrace/capture/wire/sse"
)

func (r *Reading) readSSE(m *Message) {
	h := sseReader{r: r, parser: parsers.Get().(*jsonrpc.Parser)}
	s := m.Blocks(&h)
	giveBack(h.parser)
	r.Wire, r.Decoded, r.DecodeErr = s.WireBytes, s.DecodedBytes, s.Err
	r.FirstBody, r.LastBody = s.FirstAt, s.LastAt
	r.Tail = s.Tail.Len
	if !h.answered {
		r.MaxGap = s.MaxGap
	}
	if s.BOM {
		r.odd(OddBOM, 0, "")
	}
	r.stopped(r.DecodeErr, s.DecodedBytes)
	if s.Tail.HasData {
		r.odd(OddTail, s.Tail.Start, "")
		r.readTail(s.Tail, m, s)
	}
}

// readTail looks for an answer in what no blank line had dispatched.
func (r *Reading) readTail(t sse.Tail, m *Message, s Stream) {
	msg, complete, ok := jsonrpc.Prefix(t.Data)
	if !ok || msg.Kind != jsonrpc.Result && msg.Kind != jsonrpc.Error {
		return
	}
	in := Inbound{Start: t.Start, End: s.DecodedBytes, WireEnd: m.Wire.Len(), At: s.LastAt, Kind: msg.Kind, ID: msg.ID, Level: LevelPartial,
		EventID: t.ID, Holed: m.holed(0, m.Wire.Len()) && r.tailHoled(m, t)}
	if c, ok := m.LastChunk(); ok {
		in.Packet = c.Packet
	}
	if complete {
		in.Level = LevelUnframed
		in.Result, in.Sum = readResult(msg)
		if t.DataEnd > 0 {
			in.End = t.DataEnd
		}
	}
	r.push(in)
}

// tailHoled reports whether a hole lies in the last bytes of the message: those of the tail.
func (r *Reading) tailHoled(m *Message, t sse.Tail) bool {
	return m.holed(m.Wire.Len()-min(m.Wire.Len(), t.Len), m.Wire.Len()+1)
}

// sseReader collects a Reading from the blocks of a stream.
type sseReader struct {
	r        *Reading
	parser   *jsonrpc.Parser
	pending  int // index in Messages of an answer dispatched by a CR whose LF may follow, +1
	pendEnd  int64
	answered bool
}

// Block implements BlockHandler.
func (h *sseReader) Block(b *Block) {
	r := h.r
	h.pending = 0
	h.oddities(b)
	if b.Truncated {
		r.cutOff()
	}
	if b.Retry >= 0 {
		r.Retry = b.Retry
	}
	if b.HasID && b.ID != "" {
		r.Marks = append(r.Marks, EventMark{ID: b.ID, End: b.End, At: b.At, Data: len(b.Data) > 0})
	}
	if !b.HasData {
		return
	}
	r.Events++
	if r.FirstEvent < 0 {
		r.FirstEvent = b.At
	}
	r.LastEvent = b.At
	if len(b.Data) == 0 {
		return
	}
	if b.Type == "endpoint" {
		r.Endpoint, r.EndpointAt = string(b.Data), b.At
		return
	}
	h.messages(b)
}

func (h *sseReader) oddities(b *Block) {
	r := h.r
	for _, o := range []struct {
		is   bool
		what Oddity
	}{{b.MixedEOL, OddMixedEOL}, {b.BadUTF8, OddBadUTF8}, {b.NulID, OddNulID}, {b.NoColon, OddNoColon}, {b.Truncated, OddTruncated}} {
		if o.is {
			r.odd(o.what, b.Start, "")
		}
	}
}

// messages takes the JSON-RPC messages from an event's data.
func (h *sseReader) messages(b *Block) {
	r := h.r
	if b.Type != "" && b.Type != "message" {
		r.odd(OddEventName, b.Start, b.Type)
	}
	ms, _, err := h.parser.Parse(b.Data)
	if err != nil {
		kept, limited := readable(b.Data, err)
		if limited {
			r.cutOff()
		}
		if !b.Holed && !b.Truncated && !limited {
			r.odd(OddNotJSON, b.Start, err.Error())
		} else if msg, _, ok := jsonrpc.Prefix(kept); ok && msg.IsResponse() {
			r.keep(Inbound{Start: b.Start, End: b.End, WireEnd: b.WireEnd, At: b.At, Packet: b.Packet, Kind: msg.Kind, ID: msg.ID, Level: LevelPartial, Holed: true})
		}
		return
	}
	if b.DataLines > 1 {
		r.odd(OddJSONOverLines, b.Start, "")
	}
	for _, m := range ms {
		if m.Kind == jsonrpc.Invalid {
			r.odd(OddNotJSON, b.Start, "not a JSON-RPC message")
			continue
		}
		in := inbound(m)
		in.Start, in.End, in.WireEnd, in.At, in.Packet, in.Level = b.Start, b.End, b.WireEnd, b.At, b.Packet, LevelDispatched
		in.EventID, in.EventType, in.Holed, in.JSONStart, in.JSONEnd = b.ID, b.Type, b.Holed, b.JSONOffset, b.DataEnd
		in.CROnly = b.BareCR || b.EndedByCR
		r.keep(in)
		if in.IsResponse() && !h.answered {
			h.answered, r.MaxGap = true, b.MaxGap
		}
		if b.EndedByCR && !b.BareCR {
			h.pending, h.pendEnd = len(r.Messages), b.End
		}
	}
}

// CRLF implements BlockHandler.
func (h *sseReader) CRLF(end int64) {
	if h.pending == 0 || end != h.pendEnd {
		return
	}
	for i := h.pending - 1; i >= 0 && h.r.Messages[i].End == end; i-- {
		h.r.Messages[i].CROnly = false
	}
	h.pending = 0
}

// Comment implements BlockHandler.
func (h *sseReader) Comment(start, end int64, at time.Duration) {
	h.r.Comments++
	if h.r.FirstComment < 0 {
		h.r.FirstComment = at
	}
}
