package serve

import "mcptrace/capture"

// Before returns how many body bytes of the response of ex stand before the place, counted with transfer coding off and
// content coding on. A number beyond the body stands for all of it. ok is false where the response has no such place.
func (p Place) Before(ex *capture.Exchange, rd *capture.Reading) (n int64, ok bool) {
	if p.kind == placeByte {
		return min(p.n, ex.Response.BodyLen()), ex.Response.Head != nil
	}
	plan := newPlan(&Recording{}, &entry{ex: ex, rd: rd})
	at := (&Cut{At: p}).where(plan)
	if at < 0 {
		return 0, false
	}
	return plan.bodyBefore(at), true
}
