package analyze

var reissueAfterSession404 = reissueRule("reissue-after-session-404", Info,
	"A call was sent again after its session had been refused",
	"The server did not know the session, so the first attempt did not run.")
