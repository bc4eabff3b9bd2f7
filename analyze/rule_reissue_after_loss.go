package analyze

var reissueAfterLoss = reissueRule("reissue-after-loss", Info,
	"A lost call was issued again, as the rule asks",
	"Nothing of an answer had arrived. Whether the first attempt ran cannot be seen from outside.")
