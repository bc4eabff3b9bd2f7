package replay

import "time"

var readToEnd = Policy{
	Name:    "read-to-end",
	Doc:     "Gives the whole body when it has ended. An abnormal end is an error, and the body is thrown away.",
	Client:  "plain HTTP libraries; official Ruby SDK up to 1.3.0 for initialize",
	Source:  "ruby-sdk, pull request «return from initialize as soon as its SSE response arrives»; ruby-sdk 1.3.0, lib/mcp/client/http.rb",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge:   wholeReader.play,
}

var wholeReader = reader{
	early: never,
	onEnd: func(v *View, t limit) Outcome {
		if o, ok := wholeAnswer(v); ok {
			return o
		}
		if v.Delivered() {
			return failedAt(v, v.End.At, "The stream broke, and the body that held the answer is thrown away.")
		}
		return failedAt(v, v.End.At, whyLost(v))
	},
	onLimit: func(v *View, t time.Duration) Outcome {
		if v.Delivered() && v.Answer <= t {
			return failedAt(v, t, "Its timeout passed while the stream was still open, and the body that held the answer is thrown away.")
		}
		return hungAt(v, t, "No answer came before its timeout.")
	},
}
