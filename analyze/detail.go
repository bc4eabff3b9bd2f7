package analyze

import (
	"time"

	"mcptrace/capture"
)

// detail is what takes most of the room of a case: what its bytes say, and how far the answers came. Of a large capture
// most details stand in a temporary file, see pager.
type detail struct {
	reading *capture.Reading
	answers []Answer
	answer  *Answer // the one that stands for the exchange, see summary

	last      int64         // packet
	noColon   time.Duration // see replay.View
	identical [8]byte       // hash of the request as a whole, connection-specific headers left out
	version   string        // that the request claims

	dirty bool   // it differs from what was written of it
	away  *pager // it is not here, but with the pager
}

// detail returns the detail of c, from the file if need be. What is changed in it is lost; see edit.
func (c *Case) detail() *detail {
	if c.d.away != nil {
		c.d.away.load(c)
	}
	return c.d
}

// edit returns the detail of c for a change.
func (c *Case) edit() *detail {
	d := c.detail()
	d.dirty = true
	return d
}

// R returns what the bytes of the exchange say. It is not to be changed.
func (c *Case) R() *capture.Reading { return c.detail().reading }

// Answers returns the answers, one per call of the exchange. They are not to be changed.
func (c *Case) Answers() []Answer { return c.detail().answers }

// Answer returns the answer that stands for the exchange: the last one of a batch, partial while some are missing. It is
// not to be changed, and never nil once Report has run.
func (c *Case) Answer() *Answer { return c.detail().answer }

// Safety says whether the call can be repeated without harm, "" where the exchange is none.
func (c *Case) Safety() Safety { return safeties[c.safety] }

// Hint returns what the tool says of itself: read-only, idempotent, destructive or none; "" where no tools/list was seen.
func (c *Case) Hint() string { return hintWords[c.hint] }

// LastPacket returns the number of the exchange's last packet.
func (c *Case) LastPacket() int64 { return c.detail().last }
