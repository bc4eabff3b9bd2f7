package replay

import "time"

var resume = Policy{
	Name:    "resume",
	Doc:     "As stop-at-answer, and after a loss with an event id seen it sends a GET with Last-Event-ID once the retry time has passed.",
	Client:  "legacy SDKs",
	Source:  "MCP 2025-11-25 transports, Resumability and Redelivery",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge: reader{
		early: func(*View) bool { return true },
		onEnd: func(v *View, t limit) Outcome {
			if !v.Delivered() && v.SSE && v.EventID && v.Status == 200 {
				return Outcome{Verdict: Resumed, Returned: -1, Next: NextResume, Why: whyLost(v) + " An event id was seen, so it asks for the rest with Last-Event-ID."}
			}
			return stopReader.onEnd(v, t)
		},
		onLimit: func(v *View, t time.Duration) Outcome { return stopReader.onLimit(v, t) },
	}.play,
}
