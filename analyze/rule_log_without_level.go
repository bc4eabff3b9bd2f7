package analyze

var logWithoutLevel = remarkRule("log-without-level", Error,
	"The server logged to a client that had not asked for it",
	"Since 2026-07-28 log messages come only for requests whose _meta names a logLevel.",
	"MCP 2026-07-28 logging, Per-request log level")
