package analyze

import "mcptrace/capture"

var answerCrosswired = Rule{
	Code: "answer-crosswired", Severity: Error,
	Title:  "An answer came on another call's stream",
	Text:   "Each answer must come on the stream of its own call. The client of this stream has no use for it, and the call it answers stays without.",
	Source: "MCP transports, Multiple Connections",
	Each: func(c *Case, a *Analyzer) []Finding {
		if !c.isCall() {
			return nil
		}
		var fs []Finding
		for i := range c.R().Messages {
			m := &c.R().Messages[i]
			if !m.IsResponse() || c.owns(m) || m.ID == "" || m.ID == "null" {
				continue
			}
			if other := c.inFlight(m); other != nil {
				f := about(c, m.End, m.At, "The stream of %s carried the answer to %s.", c.name(), other.name())
				f.Cases = append(f.Cases, other)
				fs = append(fs, f)
			}
		}
		return fs
	},
}

// owns reports whether m answers one of c's own calls.
func (c *Case) owns(m *capture.Inbound) bool {
	for i := range c.R().Calls {
		if c.R().Calls[i].ID.Equal(m.ID) {
			return true
		}
	}
	return false
}

// inFlight returns another call of the session with m's id that had been sent by then; nil: none.
func (c *Case) inFlight(m *capture.Inbound) *Case {
	for _, o := range c.Group.withID(m.ID) {
		switch {
		case o.Start > c.at(m.At):
			return nil
		case o != c:
			return o
		}
	}
	return nil
}
