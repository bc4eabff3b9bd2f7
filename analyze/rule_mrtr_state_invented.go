package analyze

var mrtrStateInvented = Rule{
	Code: "mrtr-state-invented", Severity: Error,
	Title:  "A round with input returns a state that it was not given",
	Text:   "A client must not send requestState where the result before had none.",
	Source: "MCP 2026-07-28 multi round-trip requests, Client Requirements",
	Each: func(c *Case, a *Analyzer) []Finding {
		of, k := c.continues, c.call()
		if of == nil || !(!of.Answer().Message.Result.State && k.StateHash != [8]byte{}) {
			return nil
		}
		f := about(c, -1, 0, "%s carries a requestState; the answer of exchange %s had none.", c.name(), id(of))
		f.Cases = append(f.Cases, of)
		return one(f)
	},
}
