package analyze

import (
	"time"

	"mcptrace/capture"
)

// A head that comes with the first event, this long after the request, was held back for it.
const (
	withheldFrom = time.Second
	withheldSlop = 2 * time.Millisecond
)

var headWithheld = Rule{
	Code: "head-withheld", Severity: Info,
	Title:  "Response heads are held back until the first event",
	Text:   "Three or more streams began only when their first event was there. Until then a client cannot tell a slow call from a dead server, nor learn that a stream will come; some buffering proxies do the same.",
	Source: "timing; MCP 2026-07-28 transports, Receiving Messages (comments as keep-alive)",
	All: func(a *Analyzer) []Finding {
		type count struct {
			held []*Case
			of   int
		}
		by := map[capture.Endpoint]*count{}
		var order []capture.Endpoint
		for c := range a.each(a.cases) {
			if !c.sse || !c.isCall() || c.HopOf != nil || c.HeadAt < 0 || c.LastByte-c.RequestEnd < withheldFrom || c.R().FirstBody < 0 || c.R().FirstBody-c.RequestEnd < withheldFrom {
				continue
			}
			p := c.endpoint()
			if by[p] == nil {
				by[p] = &count{}
				order = append(order, p)
			}
			by[p].of++
			if c.R().FirstBody-c.HeadAt <= withheldSlop {
				by[p].held = append(by[p].held, c)
			}
		}
		var fs []Finding
		for _, p := range order {
			n := by[p]
			if len(n.held) < habitFrom || len(n.held)*5 < n.of*4 {
				continue
			}
			f := about(n.held[0], -1, n.held[0].HeadAt, "At %s%s %d of %d streams that began late sent head and first event together.", p.Server, p.Path, len(n.held), n.of)
			f.Cases, f.Confidence = n.held, "medium"
			fs = append(fs, f)
		}
		return fs
	},
}
