package analyze

import "fmt"

var resultTypeMissing = Rule{
	Code: "result-type-missing", Severity: Error,
	Title:  "A result does not say of which type it is",
	Text:   "Since 2026-07-28 every result has a resultType. Clients take one without for complete, as old servers meant it.",
	Source: "MCP 2026-07-28 basic protocol, Result Responses",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		if !c.Modern || !c.dispatched() || c.Answer().Kind != "result" || c.Answer().Message == nil || c.Answer().Message.Result.ResultType != "" {
			return "", 0
		}
		return fmt.Sprintf("The result of %s has no resultType.", c.name()), 0
	},
}
