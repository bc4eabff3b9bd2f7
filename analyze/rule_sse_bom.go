package analyze

import (
	"fmt"

	"mcptrace/capture"
)

var sseBOM = oddityRule("sse-bom", Info, capture.OddBOM, "The stream begins with a byte order mark",
	"Allowed; some readers take it for a part of the first field and lose the first event.", "HTML 9.2.5")

// oddityRule is the rule for something about the form of a stream that some readers stumble over.
func oddityRule(code string, sev Severity, odd capture.Oddity, title, text, source string) Rule {
	return Rule{Code: code, Severity: sev, Title: title, Text: text, Source: source,
		Each: func(c *Case, a *Analyzer) []Finding {
			if !c.sse || c.R().Odd&odd == 0 || c.holed {
				return nil
			}
			f := about(c, c.R().OddAt[odd], -1, "%s (response to %s).", title, c.name())
			if note := c.R().OddNote[odd]; note != "" {
				f.Message = fmt.Sprintf("%s: %s (response to %s).", title, quote(note), c.name())
			}
			return one(f)
		}}
}
