package analyze

var reissueClean = reissueRule("reissue-clean", Info,
	"A call was issued again that surely or most likely did not run",
	"The first request never reached the server whole, or the server said that it had not worked on it.")
