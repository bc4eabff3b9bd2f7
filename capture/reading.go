package capture

import (
	"errors"
	"slices"
	"sync"
	"time"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/jsonrpc"
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

// ReadRequest works out what the request of ex means, and says nothing of its response.
func ReadRequest(ex *Exchange) *Reading {
	r := &Reading{Retry: -1, FirstBody: -1, LastBody: -1, FirstEvent: -1, LastEvent: -1, FirstComment: -1, EndpointAt: -1}
	r.readRequest(&ex.Request)
	return r
}

// Read works out what the bytes of ex mean.
func Read(ex *Exchange) *Reading {
	r := ReadRequest(ex)
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
	if n := len(r.Messages); cap(r.Messages) > 4*n+16 {
		r.Only(func(*Inbound) bool { return true }) // few messages must not hold on to the room of many
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
	if codingErr != nil && !errors.Is(codingErr, ErrCoding) {
		r.RequestWhole = false // it could not be read back
	}
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

func (r *Reading) keep(in Inbound) {
	if len(r.Messages) >= maxMessages && !in.IsResponse() {
		r.Limited++
		return
	}
	r.push(in)
}

func (r *Reading) push(in Inbound) {
	if in.Result == nil {
		in.Result = noResult
	}
	if r.room == nil {
		r.room = rooms.Get().(*[]Inbound)
		r.Messages = *r.room
	}
	r.Messages = append(r.Messages, in)
}

func inbound(m jsonrpc.Message) Inbound {
	in := Inbound{Kind: m.Kind, ID: m.ID, Method: m.Method}
	switch m.Kind {
	case jsonrpc.Result, jsonrpc.Error:
		in.Result, in.Sum = readResult(m)
	case jsonrpc.Notification:
		in.Subscribed = subscribed(&m)
	}
	return in
}

// subscribed returns the subscriptionId in the params of a notification, raw, "" where there is none.
func subscribed(m *jsonrpc.Message) (id string) {
	m.Each(func(key, raw []byte) {
		if string(key) == "_meta" {
			v, _ := jsonrpc.Get(raw, metaPrefix+"subscriptionId")
			id = string(v)
		}
	})
	return id
}

// parsers are used again: each keeps memory for the members of a message.
var parsers = sync.Pool{New: func() any { return new(jsonrpc.Parser) }}

func giveBack(p *jsonrpc.Parser) {
	p.Reset()
	parsers.Put(p)
}
