package analyze

import (
	"time"

	"mcptrace/capture"
	"mcptrace/replay"
)

// ties are what few exchanges have: they bind it to others, or are out of the ordinary. They may be shared by exchanges
// that have none: change them through tie.
type ties struct {
	HopOf       *Case
	Hops        []*Case
	Break       *Break
	Reissue     *Link
	RepeatedBy  *Case
	Origin      *Case // of a resumed GET: the exchange whose stream it continues; over HTTP+SSE: the GET stream of a POST
	resumes     *Case // of a resumed GET: the stream that carried the event it names
	ResumedBy   *Case
	Reset       capture.Instant  // when the client reset this stream alone
	Cancelled   capture.Instant  // when the client sent a note that cancels the call
	cancels     *Case            // of such a note: the call
	continues   *Case            // of a round with input: the exchange that asked for it
	Story       *Story           // the logical call it belongs to; nil where the exchange says all
	Outcomes    []replay.Outcome // of policies that need the bytes
	remarks     []remark         // see watch
	afterAnswer *capture.Inbound // the first message behind the last answer
	afterIdle   time.Duration    // how long its connection had been idle before it, where that is long; see noteIdle
}

var untied ties

// tie returns the ties of c for a change.
func (c *Case) tie() *ties {
	if c.ties == &untied {
		c.ties = new(ties)
	}
	return c.ties
}
