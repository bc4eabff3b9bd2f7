package replay

import (
	"time"

	"mcptrace/capture"
)

var stopFlush = Policy{
	Name:    "stop-flush",
	Doc:     "As stop-at-answer, but a pending event at a clean end is dispatched, a bare CR is no line end, a line without a colon fails the exchange, and a loss is an error at once.",
	Client:  "Go SDK 1.7, 1.8",
	Source:  "measured on loopback",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge: func(v *View, t limit) Outcome {
		if v.SSE && v.NoColon >= 0 && (v.Answer < 0 || v.NoColon <= v.Answer) && !t.passedBy(v.NoColon) {
			return failedAt(v, v.NoColon, "A line without a colon fails the whole exchange.")
		}
		if v.SSE && v.CROnly && v.Delivered() {
			return flushCR.play(v, t)
		}
		return flushReader.play(v, t)
	},
}

var flushReader = reader{
	early: func(*View) bool { return true },
	onEnd: func(v *View, t limit) Outcome {
		if o, ok := wholeAnswer(v); ok {
			return o
		}
		if v.SSE && v.End.Clean && v.Tail == capture.LevelUnframed {
			return Outcome{Verdict: Guessed, Returned: v.End.At, Next: NextNone, Why: "The stream ended cleanly with a pending event; it takes that for the answer although no blank line had dispatched it."}
		}
		return failedAt(v, v.End.At, whyLost(v))
	},
	onLimit: func(v *View, t time.Duration) Outcome { return hungAt(v, t, "No answer came before its timeout.") },
}

// flushCR reads a stream whose answer only a bare CR dispatched: to this client the lines run into each other.
var flushCR = reader{
	early: never,
	onEnd: func(v *View, t limit) Outcome {
		return failedAt(v, v.End.At, "A bare CR ends no line for this client, so it cannot read the answer.")
	},
	onLimit: func(v *View, t time.Duration) Outcome {
		return failedAt(v, t, "A bare CR ends no line for this client, so it cannot read the answer and waits for its timeout.")
	},
}
