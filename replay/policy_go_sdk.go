package replay

import "time"

var goSDKPolicy = Policy{
	Name: "go-sdk",
	Doc: "Returns on the answer, and drains the stream behind the caller's back. A bare CR ends no line; a line without a colon fails the session; at a clean end a pending " +
		"event is taken although no blank line had dispatched it. A loss is an error at once, or a GET with Last-Event-ID where an event id was seen, in every era.",
	Client:  "Go SDK (modelcontextprotocol/go-sdk) 1.8.0",
	Source:  "modelcontextprotocol/go-sdk v1.8.0, mcp/streamable.go, mcp/event.go, internal/jsonrpc2/messages.go",
	Checked: "against the SDK itself, over real sockets, in the tests of this package",
	Signs: []Sign{
		{UserAgent: "Go-http-client/*", Shared: "any program that uses net/http", Source: "net/http, defaultUserAgent; captures of the SDK"},
	},
	open:     newGoSDK,
	patience: func(t time.Duration) patience { return patience{whole: t} },
}
