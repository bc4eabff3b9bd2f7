package analyze

var mrtrIDReused = Rule{
	Code: "mrtr-id-reused", Severity: Error,
	Title:  "A round with input has the id of the round before",
	Text:   "The client must issue the call with the input as a new request, with a new id.",
	Source: "MCP 2026-07-28 multi round-trip requests, Client Requirements",
	Each: func(c *Case, a *Analyzer) []Finding {
		of, k := c.continues, c.call()
		if of == nil || !(k.ID.Equal(of.call().ID)) {
			return nil
		}
		f := about(c, -1, 0, "%s goes on with exchange %s under the same id.", c.name(), id(of))
		f.Cases = append(f.Cases, of)
		return one(f)
	},
}
