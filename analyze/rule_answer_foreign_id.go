package analyze

import "mcptrace/capture"

var answerForeignID = Rule{
	Code: "answer-foreign-id", Severity: Error,
	Title:  "The response carries an answer whose id is not the call's",
	Text:   "An answer must repeat the id of its call in type and value: 1 and \"1\" differ. Strict clients drop it, careless ones take it.",
	Source: "JSON-RPC 2.0 section 5",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() {
			return nil
		}
		for i := range c.R().Messages {
			m := &c.R().Messages[i]
			if !m.IsResponse() || m.Level == capture.LevelPartial || c.owns(m) || c.HTTP.Status >= 400 || c.inFlight(m) != nil {
				continue
			}
			return one(about(c, m.End, m.At, "The response to %s carries an answer with the id %s.", c.name(), orNone(string(m.ID))))
		}
		return nil
	},
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return clip(s, 40)
}
