package analyze

import (
	"strings"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/wire/jsonrpc"
)

// remark is something that only an exchange's own bytes and messages tell, taken down before these are let go. It
// becomes a finding of the rule with that code; of each code the first is kept.
type remark struct {
	code   string
	offset int64
	at     time.Duration
	text   string
}

// remarked returns the remark with that code, nil: none.
func (c *Case) remarked(code string) *remark {
	for i := range c.remarks {
		if c.remarks[i].code == code {
			return &c.remarks[i]
		}
	}
	return nil
}

func (c *Case) remark(code string, m *capture.Inbound, text string) {
	if c.remarked(code) != nil {
		return
	}
	r := remark{code: code, offset: -1, text: text}
	if m != nil {
		r.offset, r.at = m.End, m.At
	}
	c.tie().remarks = append(c.remarks, r)
}

// remarkRule is the rule for what an exchange alone tells.
func remarkRule(code string, sev Severity, title, text, source string) Rule {
	return Rule{Code: code, Severity: sev, Title: title, Text: text, Source: source,
		Each: func(c *Case, a *Analyzer) []Finding {
			r := c.remarked(code)
			if r == nil {
				return nil
			}
			return one(about(c, r.offset, r.at, "%s: %s", c.name(), r.text))
		}}
}

// watch takes down what the rules of the modern era ask of an exchange by itself. It comes before trim.
func (c *Case) watch(ex *capture.Exchange) {
	if !c.Modern || len(c.R().Calls) != 1 || !c.isCall() {
		return
	}
	k := c.call()
	for i := range c.R().Messages {
		m := &c.R().Messages[i]
		switch {
		case m.Kind == jsonrpc.Request:
			c.remark("server-request-in-modern", m, "the server sent the request "+quote(m.Method)+" on its stream.")
		case m.Method == "notifications/message" && !k.LogLevel:
			c.remark("log-without-level", m, "a log message came although the request names no logLevel.")
		case m.IsResponse() && m.Result.ResultType == "task" && !knowsTasks(requestBody(ex)):
			c.remark("task-unrequested", m, "it was answered with a task; the request's capabilities do not name tasks.")
		}
	}
	if k.Method == "subscriptions/listen" && c.Proto() != "stdio" {
		c.watchSubscription(requestBody(ex))
	}
	c.watchParams(ex)
}

// tasksExtension is the extension under which a client says that it knows tasks.
//
// Source: SEP-2663.
const tasksExtension = "io.modelcontextprotocol/tasks"

func knowsTasks(body []byte) bool {
	caps := []string{"params", "_meta", "io.modelcontextprotocol/clientCapabilities"}
	if _, ok := jsonrpc.Get(body, append(caps, "extensions", tasksExtension)...); ok {
		return true
	}
	_, ok := jsonrpc.Get(body, append(caps, "tasks")...)
	return ok
}

// subscriptionTypes are the members of a listen request's filter that ask for a kind of notification.
//
// Source: MCP 2026-07-28 subscriptions, Notification Filter; SEP-2663 for tasks.
var subscriptionTypes = map[string]string{
	"notifications/tools/list_changed":     "toolsListChanged",
	"notifications/prompts/list_changed":   "promptsListChanged",
	"notifications/resources/list_changed": "resourcesListChanged",
	"notifications/resources/updated":      "resourceSubscriptions",
	"notifications/tasks":                  "taskIds",
}

const acknowledged = "notifications/subscriptions/acknowledged"

func (c *Case) watchSubscription(body []byte) {
	k := c.call()
	for i := range c.R().Messages {
		m := &c.R().Messages[i]
		if m.Kind != jsonrpc.Notification || m.Holed {
			continue
		}
		if i == 0 && m.Method != acknowledged {
			c.remark("subscription-not-acknowledged-first", m, "the first message on its stream is "+quote(m.Method)+".")
		}
		if !jsonrpc.ID(m.Subscribed).Equal(k.ID) && m.Method != "notifications/cancelled" {
			c.remark("subscription-untagged", m, quote(m.Method)+" does not carry its id as subscriptionId.")
		}
		if member := subscriptionTypes[m.Method]; member != "" && !asked(body, member) {
			c.remark("subscription-unrequested-type", m, quote(m.Method)+" came, which it had not asked for.")
		}
	}
}

// asked reports whether a listen request's filter names a kind of notification.
func asked(body []byte, member string) bool {
	v, ok := jsonrpc.Get(body, "params", "notifications", member)
	return ok && string(v) != "false" && string(v) != "[]" && string(v) != "null"
}

// paramLimit bounds the body that is compared with Mcp-Param headers.
const paramLimit = 1 << 20

// watchParams looks for an Mcp-Param header whose value no argument has. Which argument it stands for the tool's schema
// would tell; a value that none has is wrong whichever it is.
func (c *Case) watchParams(ex *capture.Exchange) {
	if c.method() != "tools/call" || ex.Request.Head == nil {
		return
	}
	var values map[string]bool
	for _, f := range ex.Request.Head.Fields {
		if len(f.Name) <= len("Mcp-Param-") || !strings.EqualFold(f.Name[:len("Mcp-Param-")], "Mcp-Param-") {
			continue
		}
		if values == nil {
			args, _ := jsonrpc.Get(requestBody(ex), "params", "arguments")
			values = leaves(args)
		}
		if v := decodeHeader(strings.TrimSpace(f.Value)); !values[v] && !values[number(v)] {
			c.remark("header-body-mismatch", nil, "no argument has the value of the header "+quote(f.Name))
		}
	}
}

// requestBody returns the request's body, nil where it is larger than any that is looked into.
func requestBody(ex *capture.Exchange) []byte {
	var body []byte
	ex.Request.Pieces(func(p *capture.Piece) bool {
		body = append(body, p.Data...)
		return len(body) <= paramLimit
	})
	if len(body) > paramLimit {
		return nil
	}
	return body
}
