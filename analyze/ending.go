package analyze

import (
	"slices"
	"time"

	"mcptrace/capture"
)

// ending is capture.Ending in less memory.
type ending struct {
	at          time.Duration
	packet      int64
	code        uint32
	kind, by    uint8 // places in endKinds and endParties
	how         capture.How
	unprocessed bool
}

var (
	endKinds = []capture.EndKind{"", capture.EndClean, capture.EndFIN, capture.EndRST, capture.EndH2RST, capture.EndGoAway, capture.EndCloseDelimited,
		capture.EndTLSAlert, capture.EndOpen, capture.EndNone}
	endParties = []string{"", "client", "server"}
)

func endingOf(e capture.Ending) ending {
	return ending{e.At, e.Packet, e.Code, uint8(max(0, slices.Index(endKinds, e.Kind))), uint8(max(0, slices.Index(endParties, e.By))), e.How, e.Unprocessed}
}

// End returns how the response ended.
func (c *Case) End() capture.Ending {
	e := &c.end
	return capture.Ending{Kind: endKinds[e.kind], By: endParties[e.by], How: e.how, At: e.at, Packet: e.packet, Code: e.code, Unprocessed: e.unprocessed}
}
