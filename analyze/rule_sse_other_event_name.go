package analyze

import "mcptrace/capture"

var sseOtherEventName = oddityRule("sse-other-event-name", Warn, capture.OddEventName, "A message rides on an event with another name",
	"Messages go on unnamed events or on \"message\". The TypeScript and Go SDKs ignore others.", "MCP transports")
