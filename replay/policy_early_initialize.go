package replay

import "time"

var earlyInitialize = Policy{
	Name:    "early-initialize",
	Doc:     "Returns on the answer for every method, initialize included, with the session id from the response head. It never stops early on a status of 400 or above. A loss is an error at once.",
	Client:  "the official Ruby SDK, returning early from initialize too",
	Source:  "ruby-sdk, pull request «return from initialize as soon as its SSE response arrives»",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge: reader{
		early: func(v *View) bool { return v.Status < 400 },
		onEnd: wholeReader.onEnd,
		onLimit: func(v *View, t time.Duration) Outcome {
			return wholeReader.onLimit(v, t)
		},
	}.play,
}
