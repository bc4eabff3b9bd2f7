package analyze

var reissueAfterUnframed = reissueRule("reissue-after-unframed-answer", Error,
	"A call was issued again although its result had arrived but for its end",
	"The result was there, only the blank line or the end of the body was missing. By the rules the client had to drop it, but the call had run: it ran twice.")
