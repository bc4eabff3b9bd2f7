package capture

import (
	"errors"

	"mcptrace/capture/wire/coding"
	"mcptrace/capture/wire/jsonrpc"
)

// cutOff notes that a limit of ours cut off a part of the response. What stood there is as unknown as in a hole.
func (r *Reading) cutOff() {
	r.Limited++
	r.Cut, r.Holed = true, true
}

// stopped notes why the body could be read to its decoded byte at only.
func (r *Reading) stopped(err error, at int64) {
	switch {
	case err == nil:
	case errors.Is(err, coding.ErrLimit):
		r.cutOff()
	case errors.Is(err, ErrCoding):
		r.odd(OddUndecodable, at, err.Error())
	default:
		r.Holed = true // it could not be read back
	}
}

// readable returns the part of a text that no limit of the parser, which gave err, keeps from being read, and whether
// there is such a limit.
func readable(text []byte, err error) (part []byte, limited bool) {
	var se *jsonrpc.SyntaxError
	if errors.As(err, &se) && se.Limit {
		return text[:se.Offset], true
	}
	return text, false
}
