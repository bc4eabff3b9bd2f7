package analyze

var keepaliveRace = Rule{
	Code: "keepalive-race", Severity: Warn,
	Title:  "A request went out on an idle connection just as it was closed",
	Text:   "The other side had dropped a kept-alive connection, or was about to; the request died with it, most likely unread. Let the client give up idle connections before the server does.",
	Source: "RFC 9112 section 9.3.1 (a client may repeat a request by itself only where it is known to be safe)",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.cutKind() != KeepAliveLimit || c.HopOf != nil {
			return nil
		}
		f := about(c, -1, c.End().At, "%s was sent after the connection had been idle for %s; it %s %s later, without any response.", c.name(), dur(c.afterIdle), c.howEnded(), dur(c.End().At))
		f.Confidence = "medium"
		return one(f)
	},
}
