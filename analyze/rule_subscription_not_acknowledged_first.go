package analyze

var subscriptionNotAcknowledgedFirst = remarkRule("subscription-not-acknowledged-first", Error,
	"A subscription did not begin with its acknowledgement",
	"The first message on the stream of subscriptions/listen must be notifications/subscriptions/acknowledged: it says what the server agreed to send.",
	"MCP 2026-07-28 subscriptions, Acknowledgment")
