package analyze

import (
	"time"

	"mcptrace/capture"
)

// HTTP is the envelope of an exchange.
type HTTP struct {
	Version         string
	Method, Target  string // "" where the request was not captured
	Status          int    // 0: no response
	ContentType     string
	ContentEncoding string
	Framing         string // chunked, content-length, close, h2, none
}

// Evidence says how sure it is that an answer reached the client's host.
type Evidence string

// The kinds of evidence.
const (
	Seen    Evidence = "seen"    // only at the capture point
	Acked   Evidence = "acked"   // the client's TCP acknowledged past it
	Acted   Evidence = "acted"   // a later message of the client presupposes it
	Written Evidence = "written" // a proxy handed it to the client's socket
)

// Answer is how far the answer to one call came.
type Answer struct {
	Call     *capture.Call
	Level    capture.Level
	Kind     string        // result, error, ""
	At       time.Duration // when it was dispatched, or as far as it came; -1: no byte of it
	End      int64         // offset, -1 none
	Packet   int64
	Evidence Evidence
	// Delivered is +1 true, -1 false, 0 not known.
	Delivered int
	Stream    *Case // on whose response it arrived, nil: its own
	Message   *capture.Inbound
	Holed     bool
}

// Where says at which place of a response it broke.
type Where string

// The places, in the order of a response.
const (
	BeforeHead    Where = "before-head"
	BeforeEvents  Where = "before-events"
	BetweenEvents Where = "between-events"
	InEvent       Where = "in-event"
	InAnswer      Where = "in-answer"
	AfterAnswer   Where = "after-answer"
)

// Break is where and when a response broke.
type Break struct {
	Where  Where
	Offset int64 // decoded body bytes readable
	At     time.Duration
}

// Hold is how long a stream stayed open after its answer.
type Hold struct {
	Held     time.Duration
	Blocked  time.Duration // how long the client really waited
	Known    bool
	Censored bool // the capture ended first: Held is a lower bound
}

// Safety says whether a call can be repeated without harm.
type Safety string

// The classes. The protocol has none; a tool may give hints (server/tools, annotations).
const (
	Safe       Safety = "safe"
	HintedSafe Safety = "hinted-safe"
	Unsafe     Safety = "unsafe"
	Leaks      Safety = "leaks"
	SingleUse  Safety = "single-use"
)

// Link says that an exchange is a second attempt at an earlier one.
type Link struct {
	Of         *Case
	Finding    string
	Gap        time.Duration // from the end of the first attempt (or its answer) to the second's first byte
	SameID     bool
	Confidence string // high, medium, low
	Duplicate  string // certain, likely, possible, unlikely, no
	Executed   string // why the first attempt is believed to have run, or not
	Same       string // both answers: same, differs, second-is-error, ""
}

// Session is the life of one session id; or of one client at one endpoint where there is no id.
type Session struct {
	Label         string
	HasID         bool
	Client        string // of its first exchange
	*Nature              // shared with others like it
	Start         capture.Instant
	Cases         []*Case
	FirstUseful   time.Duration // -1: none
	Hold, Blocked time.Duration

	End       capture.Instant // the last thing seen of it
	Handshake time.Duration   // initialize and initialized, until the client could go on; -1: not seen
	Expired   int             // requests answered 404 because the session was unknown
	ExpiredAt capture.Instant // … the first of them, 0: none
	Deleted   capture.Instant // when a DELETE of it succeeded, 0: never

	lastUse capture.Instant    // start of the last call that was answered
	byID    map[uint64][]*Case // see withID
}

// Nature is what many sessions have in common.
type Nature struct {
	Server                    string
	Transport                 string
	Negotiated                string
	ClientName, ClientVersion string
	ServerName, ServerVersion string
	UserAgent                 string
	Stream                    string // its GET streams: open, refused (405), not-sse, "" none was asked for
}
