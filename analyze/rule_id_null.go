package analyze

import "fmt"

var idNull = Rule{
	Code: "id-null", Severity: Error,
	Title:  "A request has the id null",
	Text:   "MCP forbids it: an answer with the id null says that the request's id could not be read.",
	Source: "MCP basic protocol, Requests",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		for i := range c.R().Calls {
			if k := &c.R().Calls[i]; k.IsCall() && k.ID == "null" {
				return fmt.Sprintf("%s was sent with the id null.", quote(k.Method)), 0
			}
		}
		return "", 0
	},
}
