package analyze

var reissueWhileInFlight = reissueRule("reissue-while-in-flight", Warn,
	"A call was issued again while the first attempt was in flight",
	"Two equal calls were open at once. Without a sign that the first was given up they may be meant: then this is no fault.")
