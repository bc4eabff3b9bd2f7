package analyze

import (
	"encoding/base64"
	"fmt"
	"strings"
)

var headerBodyMismatch = Rule{
	Code: "header-body-mismatch", Severity: Error,
	Title:  "The headers of a request do not say what its body says",
	Text:   "Gateways route by Mcp-Method, Mcp-Name and Mcp-Param headers. Where they are missing or differ from the body the server must refuse the request; one that takes it runs what nobody checked.",
	Source: "MCP 2026-07-28 transports, Standard Request Headers and Server Validation; SEP-2243",
	Program: func(c *Case, a *Analyzer) (string, Severity) {
		if !c.Modern || c.Transport() != "streamable-http" || c.HTTP.Method != "POST" || !c.isCall() || len(c.R().Calls) != 1 {
			return "", 0
		}
		what := c.headerMismatch()
		if what == "" {
			return "", 0
		}
		text := fmt.Sprintf("%s: %s", c.name(), what)
		m := c.Answer().Message
		switch {
		case m != nil && m.Result.Code == -32020:
			return text + "; the server refused it.", info
		case c.HTTP.Status == 0 || c.HTTP.Status >= 400:
			return "", 0
		}
		return text + "; the server took it.", 0
	},
}

// namedMethods are the methods whose requests must carry Mcp-Name.
var namedMethods = map[string]bool{"tools/call": true, "prompts/get": true, "resources/read": true}

// headerMismatch says which routing header does not fit the body, "" where all do.
func (c *Case) headerMismatch() string {
	k, h := c.call(), c.Header
	switch {
	case !h.HasMethod:
		return "Mcp-Method is missing"
	case h.Method != k.Method:
		return fmt.Sprintf("Mcp-Method is %s", quote(h.Method))
	case !h.HasName && namedMethods[k.Method]:
		return "Mcp-Name is missing"
	case h.HasName && k.Name+k.TaskID != "" && decodeHeader(h.Name) != k.Name && decodeHeader(h.Name) != k.TaskID:
		return fmt.Sprintf("Mcp-Name is %s", quote(h.Name))
	}
	if r := c.remarked("header-body-mismatch"); r != nil {
		return r.text
	}
	return ""
}

// decodeHeader undoes the form in which values that are not safe in a header travel: =?base64?…?=.
//
// Source: MCP 2026-07-28 transports, Value Encoding.
func decodeHeader(v string) string {
	in, ok := strings.CutPrefix(v, "=?base64?")
	if in, ok2 := strings.CutSuffix(in, "?="); ok && ok2 {
		if b, err := base64.StdEncoding.DecodeString(in); err == nil {
			return string(b)
		}
	}
	return v
}
