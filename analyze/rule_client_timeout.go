package analyze

var clientTimeout = cutRule("client-timeout", Info, ClientTimeout,
	"A client gives up after the same time again and again",
	"Three or more streams were closed by the client, without an answer, the same time after the request: that is its timeout. Calls that take longer never succeed with it; whether they ran all the same the server knows.",
	"timing: ages within 2 % of each other; MCP lifecycle, Timeouts")
