package analyze

var transportDuplicate = reissueRule("transport-duplicate", Error,
	"The same request was sent twice, byte for byte",
	"An HTTP library or a proxy repeated it: the id is the same too, so it was not the client's decision. Turn off automatic retries for POST.")
