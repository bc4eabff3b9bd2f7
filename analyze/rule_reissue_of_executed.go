package analyze

var reissueOfExecuted = reissueRule("reissue-of-executed", Error,
	"A call was issued again that is known to have run",
	"Its result had begun to arrive, or came too late. The rule asks for the re-issue, but the call ran twice. Make the tool idempotent, or give the call a key.")
