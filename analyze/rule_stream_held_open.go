package analyze

var streamHeldOpen = Rule{
	Code: "stream-held-open", Severity: Warn,
	Title:  "The stream stayed open after the answer",
	Text:   "A client that waits for the end of the response pays the wait on every call. The server should end the stream with the answer.",
	Source: "MCP transports: after the response the server should close the stream",
	Each:   func(c *Case, a *Analyzer) []Finding { return heldOpen(c, a, false) },
}

// heldOpen is the finding for a stream held open: of initialize, or of any other call.
func heldOpen(c *Case, a *Analyzer, initialize bool) []Finding {
	if !c.Hold.Known || c.Hold.Held <= a.opt.HoldFrom || c.listens() || (c.method() == "initialize") != initialize {
		return nil
	}
	held := dur(c.Hold.Held)
	if c.Hold.Censored {
		held = "at least " + held
	}
	waited := "whether the client waited for it is not known"
	switch {
	case c.Hold.Blocked > 0:
		waited = "the client waited " + dur(c.Hold.Blocked)
	case c.wentOn():
		waited = "the client went on without waiting for it"
	}
	return one(about(c, c.Answer().End, c.answerAt, "%s was answered after %s, then the stream stayed open for %s; %s.", c.name(), dur(c.answerAt), held, waited))
}
