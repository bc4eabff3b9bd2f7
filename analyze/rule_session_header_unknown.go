package analyze

import (
	"fmt"
	"strings"
)

var sessionHeaderUnknown = Rule{
	Code: "session-header-unknown", Severity: Info,
	Title:  "A session was opened before the capture began, or elsewhere",
	Text:   "No initialize in the capture was answered with its id: what was agreed on, and what the session had done before, is not known.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		var f Finding
		var labels []string
		for s := range a.eachSession() {
			if c := s.Cases[0]; c.Header.Session != "" && !c.Modern && c.Header.NewSession == "" && !s.issued() {
				f.Cases = append(f.Cases, c)
				labels = append(labels, s.Label)
			}
		}
		if len(labels) == 0 {
			return nil
		}
		f.Offset, f.At, f.Confidence = -1, -1, "high"
		more := ""
		if len(labels) > 5 {
			labels, more = labels[:5], ", …"
		}
		f.Message = fmt.Sprintf("%s had no initialize in the capture: %s%s.", plural(len(f.Cases), "session"), strings.Join(labels, ", "), more)
		return one(f)
	},
}

// issued reports whether the capture shows how the session got its id.
func (s *Session) issued() bool {
	for _, c := range s.Cases {
		if c.Header.NewSession != "" && c.method() == "initialize" {
			return true
		}
	}
	return false
}
