package analyze

import "mcptrace/capture"

var authNotSticky = Rule{
	Code: "auth-not-sticky", Severity: Warn,
	Title:  "The same credentials are accepted and refused in turn",
	Text:   "Requests of one client with one Authorization header are answered 401 and with success alternately: the instances behind the address do not agree on who is known.",
	Source: "RFC 9110 section 15.5.2",
	All: func(a *Analyzer) []Finding {
		type holder struct {
			where     capture.Endpoint
			principal [8]byte
			session   *Session
		}
		by := map[holder][]*Case{}
		var order []holder
		for c := range a.each(a.cases) {
			if c.HopOf != nil || c.HTTP.Method == "" || !c.Header.HasAuth && c.Header.Session == "" {
				continue
			}
			h := holder{c.endpoint(), c.Header.Principal, c.Group}
			if by[h] == nil {
				order = append(order, h)
			}
			by[h] = append(by[h], c)
		}
		var fs []Finding
		for _, h := range order {
			if f, ok := alternating(by[h], func(c *Case) answerClass {
				switch {
				case c.HTTP.Status == 401:
					return refusedAnswer
				case c.HTTP.Status >= 200 && c.HTTP.Status < 300:
					return acceptedAnswer
				}
				return neither
			}); ok {
				f.Message = "Requests with the same credentials (session " + h.session.Label + ") were " + f.Message + "."
				fs = append(fs, f)
			}
		}
		return fs
	},
}
