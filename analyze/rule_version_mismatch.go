package analyze

import "fmt"

var versionMismatch = Rule{
	Code: "version-mismatch", Severity: Error,
	Title:  "A request names two protocol versions",
	Text:   "Before 2026-07-28 the header should name the version that was agreed on. Since, header and _meta must be equal, and the server must refuse what is not.",
	Source: "MCP 2025-06-18 transports, Protocol Version Header; 2026-07-28 transports, Protocol Version Header",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		k := c.call()
		if c.Header.Version == "" || k == nil || c.method() == "initialize" || c.Transport() != "streamable-http" {
			return "", 0
		}
		switch {
		case c.Modern && k.MetaVersion != "" && k.MetaVersion != c.Header.Version:
			text := fmt.Sprintf("%s names version %s in its header and %s in its _meta", c.name(), quote(c.Header.Version), quote(k.MetaVersion))
			if c.HTTP.Status >= 400 {
				return fmt.Sprintf("%s; it was refused with %d.", text, c.HTTP.Status), info
			}
			return text + "; the server took it.", 0
		case !c.Modern && k.MetaVersion == "" && c.Header.Session != "" && c.Group.Negotiated != "" && c.Group.Negotiated != c.Header.Version:
			return fmt.Sprintf("%s names version %s; version %s had been agreed on.", c.name(), quote(c.Header.Version), quote(c.Group.Negotiated)), Warn
		}
		return "", 0
	},
}
