package analyze

import "fmt"

var requestsBeforeInitialized = Rule{
	Code: "requests-before-initialized", Severity: Warn,
	Title:  "A call was sent before initialize was answered",
	Text:   "Until the answer is there, the client should send nothing but ping: version and capabilities are not agreed on.",
	Source: "MCP lifecycle, Initialization",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for s := range a.eachSession() {
			fs = append(fs, s.tooEarly(a)...)
		}
		return fs
	},
}

// tooEarly returns the finding for calls of a session that were sent while its initialize had no answer yet.
func (s *Session) tooEarly(a *Analyzer) []Finding {
	var first *Case
	n := 0
	for c := range a.each(s.Cases) {
		if c.method() == "initialize" && c.HopOf == nil {
			if n++; first == nil {
				first = c
			}
		}
	}
	if first == nil || !s.HasID && n > 1 || !first.dispatched() {
		return nil
	}
	var f Finding
	for c := range a.each(s.Cases) {
		if c.Start > first.Start && c.Start < first.at(first.Answer().At) && c.isCall() && c.method() != "ping" && c.method() != "initialize" && !c.Modern && c.HopOf == nil {
			f.Cases = append(f.Cases, c)
		}
	}
	if len(f.Cases) == 0 {
		return nil
	}
	c := f.Cases[0]
	f.Offset, f.At, f.Confidence = -1, 0, "high"
	f.Message = fmt.Sprintf("%s was sent %s before initialize was answered (%s so early in session %s).", c.name(), dur(first.at(first.Answer().At).Sub(c.Start)), plural(len(f.Cases), "call"), s.Label)
	return one(f)
}
