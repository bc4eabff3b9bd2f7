package capture

import (
	"bytes"
	"errors"
	"slices"
	"sync"
	"time"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/jsonrpc"
	"mcptrace/capture/wire/sse"
)

// Level says how much of an answer arrived.
type Level string

// The levels, from nothing to all.
const (
	LevelNone       Level = "none"
	LevelPartial    Level = "partial"    // it has begun
	LevelUnframed   Level = "unframed"   // its JSON is complete, what should end it is not
	LevelDispatched Level = "dispatched" // SSE: its blank line was readable; JSON: the HTTP body was complete; stdio: newline
)

// Inbound is one JSON-RPC message of a server.
type Inbound struct {
	Start, End int64 // in the decoded body; End is just past the byte that dispatched it
	JSONStart  int64 // in the decoded body: where its JSON begins
	JSONEnd    int64 // … and just past its last byte
	WireEnd    int64 // bytes of the response's Wire that must have arrived for it
	At         time.Duration
	AckedAt    time.Duration // of an answer: when its last byte was acknowledged; -1 never seen
	Packet     int64
	Kind       jsonrpc.Kind
	ID         jsonrpc.ID
	Method     string
	Level      Level
	EventID    string
	EventType  string
	Holed      bool         // bytes of it were not captured
	CROnly     bool         // only a bare CR dispatched it, or ended a line in it
	Result     *ResultFacts // never nil; of what is no response it says nothing
	Sum        AnswerSum    // of a response
	Subscribed string       // _meta subscriptionId, raw JSON
}

// IsResponse reports whether it answers a call.
func (m *Inbound) IsResponse() bool { return m.Kind == jsonrpc.Result || m.Kind == jsonrpc.Error }

// EventMark is the id of one event and when it was dispatched.
type EventMark struct {
	ID   string
	End  int64
	At   time.Duration
	Data bool // it carried data that is not empty
}

// Oddity is a set of things about a stream's form that some readers stumble over.
type Oddity uint32

// The oddities.
const (
	OddBOM Oddity = 1 << iota
	OddMixedEOL
	OddBadUTF8
	OddNulID
	OddNoColon
	OddJSONOverLines
	OddNotJSON   // data that is no JSON-RPC message
	OddEventName // an event named other than message, endpoint or an empty priming event
	OddTail      // ended with a pending event
	OddTruncated // an event was too large to be kept
	OddUndecodable
)

// Reading is what the framings make of one exchange: derived from its bytes, never stored.
type Reading struct {
	Kind  CallKind
	Calls []Call // one, or a batch's elements
	// RequestWhole tells that the request's framing was complete and nothing of it is missing.
	RequestWhole bool
	RequestBad   bool // the body of a POST that is no JSON-RPC

	SSE, JSON    bool
	Wire         int64 // body bytes before content decoding
	Decoded      int64
	Events       int // dispatched blocks with a data field
	Comments     int
	Tail         int64
	FirstBody    time.Duration // -1: none
	LastBody     time.Duration
	FirstEvent   time.Duration // -1: none
	LastEvent    time.Duration
	FirstComment time.Duration
	MaxGap       time.Duration // longest silence between body bytes, before an answer
	Messages     []Inbound     // in order; JSON body: its messages
	Marks        []EventMark   // events with an id
	Retry        int64         // last retry field, ms; -1 none
	Endpoint     string        // http+sse: data of the endpoint event
	EndpointAt   time.Duration
	Odd          Oddity
	OddAt        map[Oddity]int64 // offset where first met
	OddNote      map[Oddity]string
	DecodeErr    error
	Holed        bool // bytes of the response are missing
	Cut          bool // … because a limit of ours cut them off
	Limited      int  // times a limit of this reading left something out; what the message itself lacks (Message.Cut) is not among them

	room *[]Inbound // where Messages were collected
}

// Only keeps those messages for which keep is true, in order, and gives the memory of the others back: of a long stream
// there are thousands. The others must not be used any more.
func (r *Reading) Only(keep func(*Inbound) bool) {
	all := r.Messages
	n := 0
	for i := range all {
		if keep(&all[i]) {
			all[n] = all[i]
			n++
		}
	}
	r.Messages = slices.Clone(all[:n])
	if r.room != nil && cap(all) <= maxMessages {
		clear(all)
		*r.room = all[:0]
		rooms.Put(r.room)
	}
	r.room = nil
}

// rooms are slices in which messages are collected.
var rooms = sync.Pool{New: func() any { return new([]Inbound) }}

// maxMessages bounds the notifications kept of one stream; answers are always kept.
const maxMessages = 4096

// maxJSONBody bounds a JSON body that is parsed, in bytes.
const maxJSONBody = 256 << 20

// prefixOfLarge is how much is looked at of a JSON body that is larger, in bytes.
const prefixOfLarge = 1 << 20

// Read works out what the bytes of ex mean.
func Read(ex *Exchange) *Reading {
	r := &Reading{Retry: -1, FirstBody: -1, LastBody: -1, FirstEvent: -1, LastEvent: -1, FirstComment: -1, EndpointAt: -1}
	r.readRequest(&ex.Request)
	m := &ex.Response
	r.SSE, r.JSON = m.IsSSE(), m.IsJSON()
	r.Holed, r.Cut = len(m.Holes) > 0 || m.Cut, m.Cut
	switch {
	case ex.Proto == "stdio":
		r.readLines(m)
	case r.SSE:
		r.readSSE(m)
	default:
		r.readWhole(ex)
	}
	for i := range r.Messages {
		r.Messages[i].AckedAt = m.AckedAt(r.Messages[i].WireEnd)
	}
	return r
}

func (r *Reading) readRequest(m *Message) {
	r.Kind = KindNone
	r.RequestWhole = m.Complete && len(m.Holes) == 0 && !m.Cut
	if m.BodyLen() == 0 {
		return
	}
	whole := int64(0)
	body, _, codingErr := m.body(maxJSONBody, func(p *Piece) { whole = p.Start + int64(len(p.Data)) })
	calls, batch, err := readRequest(body)
	if err != nil {
		body, limited := readable(body, err)
		if limited || whole > int64(len(body)) || errors.Is(codingErr, coding.ErrLimit) {
			r.Limited++
			r.RequestWhole = false
		}
		r.RequestBad = m.Complete && r.RequestWhole
		if c, ok := prefixCall(body); ok && !r.RequestBad {
			r.Kind, r.Calls = c.Kind, []Call{c}
		}
		return
	}
	r.Calls = calls
	r.Kind = calls[0].Kind
	if batch {
		r.Kind = KindBatch
	}
}

// prefixCall reads the call from a request that was cut off.
func prefixCall(body []byte) (Call, bool) {
	m, _, ok := jsonrpc.Prefix(body)
	if !ok || m.Method == "" {
		return Call{}, false
	}
	c := Call{Kind: KindRequest, Method: m.Method, ID: m.ID}
	if m.ID == "" {
		c.Kind = KindNotification
	}
	return c, true
}

// body returns the body with content coding undone, at most limit bytes of it, and calls f for each piece. The bytes are
// the message's own where they stand in one piece in memory.
func (m *Message) body(limit int, f func(*Piece)) ([]byte, int64, error) {
	whole, ok := []byte(nil), false
	if len(m.Body) == 1 && m.coding() == "" && m.Body[0].Len() <= int64(limit) {
		whole, ok = m.Wire.View(m.Body[0].Start, min(m.Body[0].End, m.Wire.Len()))
	}
	if !ok && m.coding() == "" {
		whole = make([]byte, 0, min(int64(limit), m.BodyLen()))
	}
	n, err := m.Pieces(func(p *Piece) bool {
		f(p)
		if !ok {
			whole = append(whole, p.Data[:min(len(p.Data), limit-len(whole))]...)
		}
		return true
	})
	return whole, n, err
}

func (r *Reading) odd(o Oddity, at int64, note string) {
	if r.Odd&o != 0 {
		return
	}
	r.Odd |= o
	if r.OddAt == nil {
		r.OddAt, r.OddNote = map[Oddity]int64{}, map[Oddity]string{}
	}
	r.OddAt[o], r.OddNote[o] = at, note
}

func (r *Reading) readSSE(m *Message) {
	h := sseReader{r: r, parser: parsers.Get().(*jsonrpc.Parser)}
	s := m.Blocks(&h)
	parsers.Put(h.parser)
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
	in := Inbound{Start: t.Start, End: s.DecodedBytes, WireEnd: m.Wire.Len(), At: s.LastAt, Kind: msg.Kind, ID: msg.ID, Level: LevelPartial, Result: noResult,
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

// readWhole reads a body that is one JSON text (or no MCP at all).
func (r *Reading) readWhole(ex *Exchange) {
	m := &ex.Response
	last := Piece{At: -1}
	limit := maxJSONBody
	switch {
	case m.clearlyNoJSON():
		limit = 0 // it may be a download of any size
	case m.coding() == "" && m.BodyLen() > maxJSONBody:
		limit = prefixOfLarge // it cannot be parsed whole; how it begins tells whose answer it is
	}
	body, n, err := m.body(limit, func(p *Piece) {
		if r.FirstBody < 0 {
			r.FirstBody = p.At
		}
		r.LastBody = p.At
		r.Decoded = p.Start + int64(len(p.Data))
		last = *p
	})
	r.Wire, r.DecodeErr = n, err
	r.stopped(err, r.Decoded)
	if len(body) == 0 || !looksLikeJSON(body) {
		return
	}
	level, at, packet := LevelUnframed, r.LastBody, last.Packet
	switch {
	case m.Complete && ex.Ending.Kind == EndCloseDelimited && ex.Ending.How == RST:
	case m.Complete:
		level = LevelDispatched
		if c, ok := m.LastChunk(); ok {
			at, packet = c.At, c.Packet
		}
		if ex.Ending.Kind == EndCloseDelimited {
			at, packet = ex.Ending.At, ex.Ending.Packet
		}
	}
	ms, _, err := jsonrpc.Parse(body)
	if err != nil {
		kept, limited := readable(body, err)
		if limited || r.Decoded > int64(len(body)) {
			r.cutOff()
		}
		if msg, _, ok := jsonrpc.Prefix(kept); ok && msg.IsResponse() && (!m.Complete || r.Cut) {
			r.push(Inbound{Start: 0, End: r.Decoded, WireEnd: m.Wire.Len(), At: r.LastBody, Packet: last.Packet,
				Kind: msg.Kind, ID: msg.ID, Level: LevelPartial, Result: noResult, Holed: r.Holed})
		}
		return
	}
	for _, msg := range ms {
		if msg.Kind == jsonrpc.Invalid {
			continue
		}
		in := inbound(msg)
		in.Start, in.End, in.WireEnd, in.At, in.Packet, in.Level, in.Holed = 0, r.Decoded, m.Wire.Len(), at, packet, level, r.Holed
		r.keep(in)
	}
}

// clearlyNoJSON reports whether the first bytes of a body without content coding cannot begin a JSON-RPC message.
func (m *Message) clearlyNoJSON() bool {
	if len(m.Body) == 0 || m.coding() != "" {
		return false
	}
	first := m.Wire.Bytes(m.Body[0].Start, min(m.Body[0].Start+64, m.Body[0].End, m.Wire.Len()))
	return len(bytes.Trim(first, " \t\r\n\xEF\xBB\xBF")) > 0 && !looksLikeJSON(first)
}

func looksLikeJSON(b []byte) bool {
	for _, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n', 0xEF, 0xBB, 0xBF:
			continue
		}
		return c == '{' || c == '['
	}
	return false
}

func (r *Reading) keep(in Inbound) {
	if len(r.Messages) >= maxMessages && !in.IsResponse() {
		r.Limited++
		return
	}
	r.push(in)
}

func (r *Reading) push(in Inbound) {
	if r.room == nil {
		r.room = rooms.Get().(*[]Inbound)
		r.Messages = *r.room
	}
	r.Messages = append(r.Messages, in)
}

func inbound(m jsonrpc.Message) Inbound {
	in := Inbound{Kind: m.Kind, ID: m.ID, Method: m.Method, Result: noResult}
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		in.Result, in.Sum = readResult(m)
	case jsonrpc.Notification:
		in.Subscribed = subscribed(m.Members)
	}
	return in
}

// subscribed returns the subscriptionId in the params of a notification, raw, "" where there is none.
func subscribed(params []jsonrpc.Member) string {
	for i := range params {
		if string(params[i].Key) == "_meta" {
			id, _ := jsonrpc.Get(params[i].Value, metaPrefix+"subscriptionId")
			return string(id)
		}
	}
	return ""
}

// parsers are used again: each keeps memory for the members of a message.
var parsers = sync.Pool{New: func() any { return new(jsonrpc.Parser) }}

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
			r.keep(Inbound{Start: b.Start, End: b.End, WireEnd: b.WireEnd, At: b.At, Packet: b.Packet, Kind: msg.Kind, ID: msg.ID, Level: LevelPartial, Result: noResult, Holed: true})
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
