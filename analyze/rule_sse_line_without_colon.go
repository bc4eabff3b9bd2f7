package analyze

import "mcptrace/capture"

var sseLineWithoutColon = oddityRule("sse-line-without-colon", Warn, capture.OddNoColon, "A line has no colon",
	"The HTML rules take the whole line for a field name. The Go SDK fails the whole session on it.", "HTML 9.2.6")
