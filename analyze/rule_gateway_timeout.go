package analyze

var gatewayTimeout = cutRule("gateway-timeout", Warn, GatewayTimeout,
	"A gateway gives up after the same time again and again",
	"Three or more calls were answered 504 the same time after the request. The gateway has gone, the server behind it perhaps not: the calls may have run.",
	"RFC 9110 section 15.6.5")
