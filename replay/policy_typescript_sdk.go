package replay

import "time"

var typescriptSDK = Policy{
	Name: "typescript-sdk",
	Doc: "Returns on the answer and reads on behind the caller's back. A stream that ends or breaks without the answer tells it nothing: it waits for its timeout (60 s), or " +
		"sends a GET with Last-Event-ID where an event id was seen, in every era. A CR at the very end of what has come ends no line yet.",
	Client:  "TypeScript SDK (@modelcontextprotocol/sdk 1.32.2; client 2.0.0 and 2.4.0 behave alike) on Node",
	Source:  "@modelcontextprotocol/sdk 1.32.2, dist/esm/client/streamableHttp.js, shared/protocol.js, types.js; eventsource-parser 3",
	Checked: "against the SDK itself, over real sockets, in the tests of this package, where Node and the SDK are installed",
	Signs: []Sign{
		{Client: "inspector-cli", UserAgent: "node", Source: "modelcontextprotocol/inspector, cli/src: the command line of MCP Inspector is written on the SDK"},
		{UserAgent: "node", Shared: "any program that uses the fetch of Node", Source: "captures of the SDK on Node 20"},
	},
	Timeout:  60 * time.Second,
	open:     newTSSDK,
	patience: func(t time.Duration) patience { return patience{whole: t} },
}
