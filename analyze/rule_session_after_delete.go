package analyze

import "fmt"

var sessionAfterDelete = Rule{
	Code: "session-after-delete", Severity: Warn,
	Title:  "A client went on with a session that it had ended itself",
	Text:   "After a DELETE that succeeded the id is dead. One part of the client seems not to know what another did; its calls are answered 404.",
	Source: "MCP 2025-03-26 to 2025-11-25 transports, Session Management",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			if s.Deleted == 0 {
				continue
			}
			var late []*Case
			for _, c := range s.Cases {
				if c.Start > s.Deleted && c.Header.Session != "" && c.HTTP.Method != "DELETE" && c.HopOf == nil && c.method() != "initialize" {
					late = append(late, c)
				}
			}
			if len(late) == 0 {
				continue
			}
			f := about(late[0], -1, 0, "%s", fmt.Sprintf("Session %s was deleted; %s later %s was sent with its id (%s in all).", s.Label, dur(late[0].Start.Sub(s.Deleted)), late[0].name(), plural(len(late), "request")))
			f.Cases = late
			fs = append(fs, f)
		}
		return fs
	},
}
