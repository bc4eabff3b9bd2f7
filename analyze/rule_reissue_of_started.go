package analyze

var reissueOfStarted = reissueRule("reissue-of-started", Warn,
	"A call was issued again that had been started",
	"The server had reported progress before the stream broke. It probably finished the call.")
