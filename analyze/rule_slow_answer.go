package analyze

import "time"

const slowAnswerFrom = 30 * time.Second

var slowAnswer = Rule{
	Code: "slow-answer", Severity: Info,
	Title:  "The answer took long",
	Text:   "Long calls need comments or progress on the stream, or something in between cuts it as idle.",
	Source: "timing",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() || !c.dispatched() || c.listens() || c.answerAt-c.RequestEnd <= slowAnswerFrom {
			return nil
		}
		return one(about(c, c.Answer().End, c.answerAt, "%s was answered after %s.", c.name(), dur(c.answerAt)))
	},
}
