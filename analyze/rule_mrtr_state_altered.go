package analyze

var mrtrStateAltered = Rule{
	Code: "mrtr-state-altered", Severity: Error,
	Title:  "A round with input does not return the state it was given",
	Text:   "requestState belongs to the server: the client must return it as it came. Another value may continue another call, or be an attempt to do so.",
	Source: "MCP 2026-07-28 multi round-trip requests, Client Requirements",
	Each: func(c *Case, a *Analyzer) []Finding {
		of, k := c.continues, c.call()
		if of == nil || !(of.Answer().Message.Result.State && of.Answer().Message.Result.StateHash != k.StateHash) {
			return nil
		}
		f := about(c, -1, 0, "%s does not return the requestState of exchange %s.", c.name(), id(of))
		f.Cases = append(f.Cases, of)
		return one(f)
	},
}
