package analyze

var subscriptionUnrequestedType = remarkRule("subscription-unrequested-type", Error,
	"A subscription carried notifications that had not been asked for",
	"The server must send only the types that the listen request names.",
	"MCP 2026-07-28 subscriptions, Notification Filter")
