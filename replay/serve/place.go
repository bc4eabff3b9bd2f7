package serve

import (
	"fmt"

	"mcptrace/capture"
)

// Before returns how many body bytes of the response of ex stand before the place, counted with transfer coding off and
// content coding on. The error is ErrCut, wrapped, where the response has no such place.
func (p Place) Before(ex *capture.Exchange, rd *capture.Reading) (int64, error) {
	if m := &ex.Response; p.kind == placeByte && m.Head != nil && p.n <= m.BodyLen() {
		return p.n, nil // behind a gap too, where nothing can be served
	}
	plan := newPlan(&Recording{}, &entry{ex: ex, rd: rd})
	at := (&Cut{At: p}).where(plan)
	if at < 0 {
		return 0, fmt.Errorf("%w: %s", ErrCut, plan.misses(p))
	}
	return plan.bodyBefore(at), nil
}
