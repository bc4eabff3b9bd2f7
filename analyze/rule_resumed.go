package analyze

import "fmt"

var resumed = Rule{
	Code: "resumed", Severity: Info,
	Title:  "A stream was resumed with Last-Event-ID",
	Text:   "The client asked for what came after the last event it had.",
	Source: "MCP 2025-11-25 transports, Resumability and Redelivery",
	Each: func(c *Case, a *Analyzer) []Finding {
		if c.HTTP.Method != "GET" || c.Header.LastEventID == "" || c.HTTP.Status != 200 || !c.sse {
			return nil
		}
		f := about(c, -1, 0, "The client resumed a stream with Last-Event-ID.")
		if c.Origin != nil {
			f.Message = "The client resumed the stream of exchange " + id(c.Origin) + " with Last-Event-ID."
			f.Cases = append(f.Cases, c.Origin)
		}
		return one(f)
	},
}

func id(c *Case) string { return fmt.Sprintf("#%d", c.ID) }
