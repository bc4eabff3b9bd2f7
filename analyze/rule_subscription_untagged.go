package analyze

var subscriptionUntagged = remarkRule("subscription-untagged", Error,
	"A message of a subscription does not name its subscription",
	"Every message on the stream of subscriptions/listen carries the id of the listen request as subscriptionId; over stdio nothing else tells subscriptions apart.",
	"MCP 2026-07-28 subscriptions, Receiving Notifications")
