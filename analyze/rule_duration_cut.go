package analyze

var durationCut = cutRule("duration-cut", Warn, DurationLimit,
	"Streams are cut at the same age again and again, silent or not",
	"Three or more breaks came the same time after the request: the server, or something in between, limits how long a response may take. Comments do not help against that; shorter calls, tasks or a higher limit do.",
	"timing: ages within 2 % of each other")
