package analyze

import "fmt"

var tlsOpaque = Rule{
	Code: "tls-opaque", Severity: Info,
	Title:  "A TLS connection could not be read",
	Text:   "Its keys are not known. Give a key log with --keylog; docs/capturing.md says how to get one from a client.",
	Source: "observation",
	All: func(a *Analyzer) []Finding {
		var fs []Finding
		for _, c := range a.Conns {
			if c.TLS == nil || c.TLS.Readable {
				continue
			}
			f := Finding{Offset: -1, At: -1, Confidence: "high", Severity: info, Message: fmt.Sprintf("The TLS connection %s → %s (server name %s, ALPN %s; %d bytes sent, %d received) could not be read: %s.",
				c.Client, c.Server, quoteOr(c.TLS.SNI), quoteOr(c.TLS.ALPN), c.TLS.Bytes[0], c.TLS.Bytes[1], c.TLS.Why)}
			if fs = append(fs, f); len(fs) == 20 {
				break
			}
		}
		return fs
	},
}

func quoteOr(s string) string {
	if s == "" {
		return "not sent"
	}
	return quote(s)
}
