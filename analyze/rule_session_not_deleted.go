package analyze

import "fmt"

var sessionNotDeleted = Rule{
	Code: "session-not-deleted", Severity: Info, Optional: true,
	Title:  "A client left without ending its session",
	Text:   "A client that no longer needs its session should DELETE it, or the server keeps what belongs to it until its own clock runs out.",
	Source: "MCP 2025-03-26 to 2025-11-25 transports, Session Management item 5",
	All: func(a *Analyzer) []Finding {
		f := Finding{Offset: -1, At: -1, Confidence: "medium"}
		for s := range a.eachSession() {
			last := s.Cases[len(s.Cases)-1]
			if s.HasID && s.Transport == "streamable-http" && !s.deleted() && last.Conn.FirstClosing(0) != nil {
				f.Cases = append(f.Cases, last)
			}
		}
		if len(f.Cases) == 0 {
			return nil
		}
		f.Message = fmt.Sprintf("%s were left without a DELETE.", plural(len(f.Cases), "session"))
		return one(f)
	},
}

func (s *Session) deleted() bool {
	for _, c := range s.Cases {
		if c.HTTP.Method == "DELETE" {
			return true
		}
	}
	return false
}
