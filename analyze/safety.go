package analyze

import (
	"strings"

	"mcptrace/capture"
)

var safeMethods = map[string]bool{"ping": true, "server/discover": true, "resources/read": true, "completion/complete": true, "prompts/get": true,
	"tasks/get": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true, "subscriptions/listen": true, "logging/setLevel": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "resources/templates/list": true}

// hints are what tools say of themselves: the strongest hint of each.
type hints map[tool]string

type tool struct {
	where capture.Endpoint
	name  string
}

// take classes a call by whether it may be repeated. A tool's own hints count as they stood in the newest tools/list
// result at that endpoint before the call; exchanges come in order of time.
func (h hints) take(c *Case) {
	for i := range c.R().Messages {
		for _, t := range c.R().Messages[i].Result.Tools() {
			h[tool{c.endpoint(), t.Name}] = hintOf(&t)
		}
	}
	if k := c.call(); k != nil && k.IsCall() {
		d := c.edit()
		if k.Method == "tools/call" {
			d.hint = h[tool{c.endpoint(), k.Name}]
		}
		d.safety = safety(k, d.hint == "read-only" || d.hint == "idempotent")
	}
}

// hintOf names the strongest of a tool's own hints on what a second run does.
func hintOf(t *capture.ToolHints) string {
	switch {
	case t.ReadOnly:
		return "read-only"
	case t.Idempotent:
		return "idempotent"
	case t.Destructive:
		return "destructive"
	}
	return "none"
}

func safety(k *capture.Call, hinted bool) Safety {
	switch {
	case k.RequestState:
		return SingleUse
	case k.Method == "initialize":
		return Leaks
	case safeMethods[k.Method] || strings.HasSuffix(k.Method, "/list"):
		return Safe
	case k.Method == "tools/call" && hinted:
		return HintedSafe
	}
	return Unsafe
}

// grave returns how grave it is that a call of this safety ran twice.
func grave(s Safety) Severity {
	switch s {
	case Safe, Leaks:
		return info
	case HintedSafe:
		return Warn
	}
	return Error
}
