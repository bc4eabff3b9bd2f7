package analyze

var initializeHeldOpen = Rule{
	Code: "initialize-held-open", Severity: Warn,
	Title:  "The stream of initialize stayed open after its answer",
	Text:   "Every client that waits for the end pays this once per session, before its first useful call. The session id is in the response head; nobody needs the end of the stream to learn it.",
	Source: "MCP transports: after the response the server should close the stream",
	Each:   func(c *Case, a *Analyzer) []Finding { return heldOpen(c, a, true) },
}
