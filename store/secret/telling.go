package secret

import "strings"

// telling reports whether a secret may be looked for outside of where its name gives it away. Traffic decides what
// values there are, and must not be able to make protocol text unreadable by declaring it a secret: a value is a single
// word (RFC 6750's b68token and the like), no number, and no word of the protocol.
func telling(v string) bool {
	if len(v) < minKnown || len(v) > MaxKnown {
		return false
	}
	number := true
	for i := range len(v) {
		c := v[i]
		if !isWord(c) && strings.IndexByte("-._~+/=", c) < 0 {
			return false
		}
		number = number && (isDigit(c) || strings.IndexByte("eE+-.", c) >= 0)
	}
	return !number && !spoken[strings.ToLower(v)]
}

// spoken are the words of JSON-RPC, MCP, SSE and HTTP that are long enough to be taken for a value, whole and by the
// parts that a slash or a hyphen delimits.
var spoken = words(`
	initialize notifications/initialized notifications/cancelled notifications/progress notifications/message
	notifications/roots/list_changed notifications/tools/list_changed notifications/prompts/list_changed
	notifications/resources/list_changed notifications/resources/updated notifications/tasks/status
	notifications/subscriptions/acknowledged notifications/elicitation/complete
	resources/list resources/templates/list resources/read resources/subscribe resources/unsubscribe
	tools/list tools/call prompts/list prompts/get completion/complete logging/setLevel roots/list tasks/list tasks/get
	tasks/result tasks/cancel tasks/update server/discover subscriptions/listen sampling/createMessage elicitation/create
	protocolVersion capabilities clientInfo serverInfo instructions arguments progressToken requestId requestState
	resultType inputRequests inputResponses input_required complete structuredContent outputSchema inputSchema annotations
	readOnlyHint destructiveHint idempotentHint openWorldHint listChanged nextCursor mimeType contents messages
	resourceTemplates idempotency_key idempotencyKey subscriptionId traceparent progress protocol experimental
	io.modelcontextprotocol io.modelcontextprotocol/protocolVersion io.modelcontextprotocol/clientInfo
	io.modelcontextprotocol/clientCapabilities io.modelcontextprotocol/logLevel io.modelcontextprotocol/subscriptionId
	io.modelcontextprotocol/serverInfo clientCapabilities modelcontextprotocol
	endpoint application/json text/event-stream content-type content-length content-encoding transfer-encoding keep-alive
	connection no-cache identity mcp-session-id mcp-protocol-version last-event-id
`)

func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(strings.ToLower(text)) {
		out[w] = true
		for _, part := range strings.FieldsFunc(w, func(r rune) bool { return r == '/' || r == '-' }) {
			out[part] = true
		}
	}
	return out
}
