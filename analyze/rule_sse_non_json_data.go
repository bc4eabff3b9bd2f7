package analyze

import "mcptrace/capture"

var sseNonJSONData = oddityRule("sse-non-json-data", Warn, capture.OddNotJSON, "An event holds no JSON-RPC message",
	"A client skips it or fails on it.", "MCP transports")
