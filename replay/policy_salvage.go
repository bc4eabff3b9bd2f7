package replay

import "time"

var salvage = Policy{
	Name:    "salvage",
	Doc:     "Reads to the end. On an abnormal end or a timeout it keeps an answer that had been dispatched; else, on a broken stream, it re-issues once (modern era) or fails (legacy), and on a timeout it fails.",
	Client:  "the idea of StreamRecovery, in every era",
	Source:  "ruby-mcp-client, MCPClient::HttpTransportBase::StreamRecovery, documentation of the module",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge: reader{
		early: never,
		onEnd: func(v *View, t limit) Outcome {
			switch {
			case v.End.Clean:
				return wholeReader.onEnd(v, t)
			case v.Delivered():
				return salvagedAt(v, v.End.At, "The stream broke, but the answer had been dispatched and is kept.")
			case v.Modern:
				return again(v, whyLost(v)+" It is issued again with a new id, as 2026-07-28 asks.")
			}
			return failedAt(v, v.End.At, whyLost(v))
		},
		onLimit: func(v *View, t time.Duration) Outcome {
			if v.Delivered() && v.Answer <= t {
				return salvagedAt(v, t, "Its timeout passed, but the answer had been dispatched and is kept.")
			}
			return hungAt(v, t, "No answer came before its timeout.")
		},
	}.play,
}

func salvagedAt(v *View, at time.Duration, why string) Outcome {
	return Outcome{Verdict: Salvaged, Returned: at, Held: at - v.Answer, Next: NextNone, Why: why}
}
