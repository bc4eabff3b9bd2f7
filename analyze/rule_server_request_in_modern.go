package analyze

var serverRequestInModern = remarkRule("server-request-in-modern", Error,
	"The server sent a request of its own",
	"Since 2026-07-28 servers send no requests on any stream: they ask for input in a result of type input_required. A client of this version has nobody to answer.",
	"MCP 2026-07-28 transports, Receiving Messages")
