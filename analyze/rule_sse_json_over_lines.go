package analyze

import "mcptrace/capture"

var sseJSONOverLines = oddityRule("sse-json-over-lines", Info, capture.OddJSONOverLines, "A message is spread over several data lines",
	"Allowed; simple readers keep the last line only.", "HTML 9.2.6")
