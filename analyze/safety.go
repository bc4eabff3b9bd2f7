package analyze

import (
	"strings"

	"mcptrace/capture"
)

var safeMethods = map[string]bool{"ping": true, "server/discover": true, "resources/read": true, "completion/complete": true, "prompts/get": true,
	"tasks/get": true, "tasks/result": true, "tasks/cancel": true, "tasks/update": true, "subscriptions/listen": true, "logging/setLevel": true,
	"resources/subscribe": true, "resources/unsubscribe": true, "resources/templates/list": true}

// safetyCode is a place in safeties.
type safetyCode uint8

var safeties = [...]Safety{"", Safe, HintedSafe, Unsafe, Leaks, SingleUse}

const (
	noCall safetyCode = iota
	isSafe
	isHintedSafe
	isUnsafe
	isLeaky
	isSingleUse
)

// hintCode is a place in hintWords.
type hintCode uint8

var hintWords = [...]string{"", "none", "destructive", "idempotent", "read-only"}

const (
	notListed hintCode = iota
	noHint
	saysDestructive
	saysIdempotent
	saysReadOnly
)

// hints are what tools say of themselves: the strongest hint of each.
type hints map[tool]hintCode

type tool struct {
	where capture.Endpoint
	name  string
}

// take classes a call by whether it may be repeated. A tool's own hints count as they stood in the newest tools/list
// result at that endpoint before the call; exchanges come in order of time.
func (h hints) take(c *Case, a *Analyzer) {
	if c.lists {
		for i := range c.R().Messages {
			for _, t := range c.R().Messages[i].Result.Tools() {
				h[tool{c.endpoint(), t.Name}] = hintOf(&t)
			}
		}
	}
	switch {
	case c.alone():
		if c.verb == "tools/call" {
			c.hint = h[tool{c.endpoint(), c.callName(a)}]
		}
		c.safety = safety(c.verb, c.refers && c.call().RequestState, c.hint)
	case c.calls:
		if k := c.call(); k.IsCall() {
			if k.Method == "tools/call" {
				c.hint = h[tool{c.endpoint(), k.Name}]
			}
			c.safety = safety(k.Method, k.RequestState, c.hint)
		}
	}
}

// callName returns the name of the tool, prompt or resource that the first call names.
func (c *Case) callName(a *Analyzer) string {
	if c.nameNo > 0 {
		return a.names.values[c.nameNo-1]
	}
	return c.call().Name
}

// hintOf returns the strongest of a tool's own hints on what a second run does.
func hintOf(t *capture.ToolHints) hintCode {
	switch {
	case t.ReadOnly:
		return saysReadOnly
	case t.Idempotent:
		return saysIdempotent
	case t.Destructive:
		return saysDestructive
	}
	return noHint
}

func safety(method string, state bool, hint hintCode) safetyCode {
	switch {
	case state:
		return isSingleUse
	case method == "initialize":
		return isLeaky
	case safeMethods[method] || strings.HasSuffix(method, "/list"):
		return isSafe
	case method == "tools/call" && hint >= saysIdempotent:
		return isHintedSafe
	}
	return isUnsafe
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
