package analyze

var retryAfterStatus = reissueRule("retry-after-status", Info,
	"A call was sent again after an error status",
	"429 says that it did not run. Behind 502 and 504 it may have: the gateway gave up, the server perhaps not.")
