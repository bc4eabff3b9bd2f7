package analyze

import "mcptrace/capture"

var sseIDNul = oddityRule("sse-id-nul", Warn, capture.OddNulID, "An event id holds a NUL and is ignored",
	"The client cannot resume from this event.", "HTML 9.2.6")
