package replay

import "time"

var discardReissue = Policy{
	Name:    "discard-reissue",
	Doc:     "As read-to-end, but a broken exchange is issued again with a new id.",
	Client:  "a client that throws a broken body away and issues the call again, which StreamRecovery warns of",
	Source:  "ruby-mcp-client, MCPClient::HttpTransportBase::StreamRecovery, documentation of the module",
	Checked: "against the verdicts written down for the captures in testdata, by hand",
	Generic: true,
	judge: reader{
		early: never,
		onEnd: func(v *View, t limit) Outcome {
			if v.End.Clean {
				return wholeReader.onEnd(v, t)
			}
			if v.Delivered() {
				return again(v, "The stream broke, the body that held the answer is thrown away, and the call is issued again.")
			}
			return again(v, whyLost(v)+" The call is issued again.")
		},
		onLimit: func(v *View, t time.Duration) Outcome {
			return again(v, "Its timeout passed while the stream was still open, and the call is issued again.")
		},
	}.play,
}
