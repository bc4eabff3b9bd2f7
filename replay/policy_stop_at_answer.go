package replay

import (
	"time"

	"mcptrace/capture"
)

var stopAtAnswer = Policy{
	Name:    "stop-at-answer",
	Doc:     "Dispatches by the HTML rules, returns on the answer and closes the stream. A lost answer on a stream that had begun is waited for until the timeout.",
	Client:  "TypeScript SDK 1.32 to 2.4",
	Source:  "measured on loopback; HTML Living Standard 9.2.6 for what is dispatched",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge:   stopReader.play,
}

var stopReader = reader{
	early: func(*View) bool { return true },
	onEnd: func(v *View, t limit) Outcome {
		if o, ok := wholeAnswer(v); ok {
			return o
		}
		if waitsForever(v) {
			return hungAt(v, t.after, whyLost(v)+" It does not notice and waits for its timeout.")
		}
		return failedAt(v, v.End.At, whyLost(v))
	},
	onLimit: func(v *View, t time.Duration) Outcome {
		return hungAt(v, t, "No answer came before its timeout.")
	},
}

// waitsForever reports whether the end of this response tells a stop-at-answer client nothing: a stream that has begun
// may be replaced by another one, and 202 promises an answer elsewhere.
func waitsForever(v *View) bool {
	return v.Status >= 200 && v.Status < 300 && (v.SSE || v.Status == 202) && v.Level != capture.LevelDispatched
}
