package analyze

import "mcptrace/capture"

var sseInvalidUTF8 = oddityRule("sse-invalid-utf8", Error, capture.OddBadUTF8, "The stream holds bytes that are not UTF-8",
	"They decode to U+FFFD: the client does not get what the tool wrote.", "HTML 9.2.5")
