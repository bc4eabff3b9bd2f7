package analyze

var mrtrOnWrongMethod = Rule{
	Code: "mrtr-on-wrong-method", Severity: Error,
	Title:  "The server asked for input on a method that knows none",
	Text:   "Only tools/call, prompts/get and resources/read may be answered with input_required. Clients have no next round for others.",
	Source: "MCP 2026-07-28 multi round-trip requests, Supported Requests",
	Each: func(c *Case, a *Analyzer) []Finding {
		m := c.Answer().Message
		if m == nil || !c.isCall() || m.Result.ResultType != "input_required" || namedMethods[c.method()] {
			return nil
		}
		return one(about(c, m.End, m.At, "%s was answered with input_required.", c.name()))
	},
}
