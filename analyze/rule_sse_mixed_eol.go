package analyze

import "mcptrace/capture"

var sseMixedEOL = oddityRule("sse-mixed-eol", Info, capture.OddMixedEOL, "The lines of an event do not all end alike",
	"Allowed; a sign that an intermediary writes into the stream.", "HTML 9.2.5")
