package replay

import (
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/http1"
	"mcptrace/capture/wire/jsonrpc"
)

// View is what a reader by the rules of HTTP and HTML can have of the response to one call, up to its end or to a cut.
type View struct {
	Method string // of the call
	Modern bool
	Batch  bool

	Status    int // 0: no response head
	HeadAt    time.Duration
	SSE, JSON bool
	HasBody   bool

	Level  capture.Level // of the answer; a batch: of its last one, partial while some are missing
	Error  bool          // the answer is a JSON-RPC error
	Answer time.Duration // when it was dispatched (or as far as it came); -1: never
	CROnly bool          // only a bare CR dispatched it
	Tail   capture.Level // of an answer in the pending event: partial or unframed; none
	// NoColon is when a line without a colon had been read, before the answer; -1: never.
	NoColon time.Duration

	EventID bool  // an event with an id was seen
	Retry   int64 // ms, -1 none
	Holed   bool  // bytes are missing from the capture before the answer

	End End
}

// End is how the response ended for the client.
type End struct {
	Kind  capture.EndKind
	By    string
	At    time.Duration // for an open end: of the last thing the capture shows
	Clean bool          // the framing was complete, or its end is the connection's
	Stall bool          // a chosen ending: nothing more ever comes
	How   capture.How   // of a close-delimited or absent response
}

// reset reports whether the client's HTTP library saw an error rather than an end.
func (e End) reset() bool {
	switch e.Kind {
	case capture.EndFIN, capture.EndClean:
		return false
	case capture.EndCloseDelimited, capture.EndNone:
		return e.How == capture.RST || e.How == capture.FatalAlert
	}
	return true
}

// Envelope is what a View takes from an exchange beside its reading. It outlives the exchange's bytes.
type Envelope struct {
	Modern, HasBody bool
	Status          int           // 0: no response head
	HeadAt          time.Duration // -1: no response head
	NoColon         time.Duration // see View
	Ending          capture.Ending
}

// NewEnvelope returns the envelope of ex.
func NewEnvelope(ex *capture.Exchange, rd *capture.Reading) Envelope {
	e := Envelope{Modern: capture.Modern(ex, rd), HeadAt: -1, NoColon: -1, Ending: ex.Ending}
	if h := ex.Response.Head; h != nil {
		e.Status, e.HasBody = h.Status, h.Framing != http1.None
		e.HeadAt, _ = ex.Response.TimeAt(max(0, ex.Response.HeadEnd-1))
	}
	if at, ok := rd.OddAt[capture.OddNoColon]; ok {
		e.NoColon = ex.Response.DecodedAt(at)
	}
	return e
}

// NewView returns the view of a whole exchange. last is the time of the last thing the capture shows, since the start.
func NewView(ex *capture.Exchange, rd *capture.Reading, last time.Duration) *View {
	return NewEnvelope(ex, rd).View(rd, last)
}

// View returns the view of the exchange with that envelope and reading. last is as for NewView.
func (e Envelope) View(rd *capture.Reading, last time.Duration) *View {
	v := &View{Modern: e.Modern, Status: e.Status, HeadAt: e.HeadAt, HasBody: e.HasBody, NoColon: e.NoColon, Answer: -1, Retry: rd.Retry,
		Level: capture.LevelNone, Tail: capture.LevelNone}
	v.Batch = rd.Kind == capture.KindBatch
	if len(rd.Calls) > 0 {
		v.Method = rd.Calls[0].Method
	}
	if e.Status != 0 {
		v.SSE, v.JSON = rd.SSE, rd.JSON
	}
	v.readAnswer(rd)
	for _, m := range rd.Marks {
		v.EventID = v.EventID || m.ID != ""
	}
	v.End = endOf(e.Ending, last)
	return v
}

func (v *View) readAnswer(rd *capture.Reading) {
	k, all := rd.LastAnswer(v.Status)
	v.Holed = rd.Holed
	if k < 0 {
		return
	}
	m := &rd.Messages[k]
	v.Level, v.Error, v.Answer, v.CROnly = m.Level, m.Kind == jsonrpc.Error, m.At, m.CROnly
	if v.Batch && !all && v.Level == capture.LevelDispatched {
		v.Level = capture.LevelPartial
	}
	if v.Level != capture.LevelDispatched {
		v.Answer = -1
		if rd.SSE {
			v.Tail = m.Level
		}
	}
	v.Holed = rd.Holed && v.Level != capture.LevelDispatched
}

func endOf(x capture.Ending, last time.Duration) End {
	e := End{Kind: x.Kind, By: x.By, At: x.At, How: x.How}
	switch e.Kind {
	case capture.EndClean:
		e.Clean = true
	case capture.EndCloseDelimited:
		e.Clean = x.How != capture.RST && x.How != capture.FatalAlert
	case capture.EndOpen:
		e.At = last
	}
	return e
}

// ran reports whether the call is known to have run: a result was seen, or the beginning of one.
func (v *View) ran() bool { return v.Level != capture.LevelNone && !v.Error }

// Delivered reports whether the answer had been dispatched.
func (v *View) Delivered() bool { return v.Level == capture.LevelDispatched }
