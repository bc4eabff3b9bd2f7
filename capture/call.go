package capture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"

	"mcptrace/capture/wire/jsonrpc"
)

// CallKind says what the client sent.
type CallKind string

// The kinds of what a client sends in one HTTP request.
const (
	KindNone         CallKind = "none"         // no JSON-RPC message: GET, DELETE, …
	KindRequest      CallKind = "request"      // a call: it has an id and is owed an answer
	KindNotification CallKind = "notification" // no id, no answer
	KindResponse     CallKind = "response"     // the client answers a request of the server
	KindBatch        CallKind = "batch"        // several messages in one array (2025-03-26)
)

// Call is one JSON-RPC message of a client, as far as it matters who sent what.
type Call struct {
	Kind   CallKind
	Method string
	ID     jsonrpc.ID
	Name   string // tool, prompt or resource

	Fingerprint [32]byte // equal for equal method and params without _meta
	ArgsHash    [8]byte  // of the arguments alone; zero where there are none

	MetaVersion  string // _meta protocol version (2026-07-28 and later)
	AskedVersion string // initialize: the version asked for
	ClientName   string
	ClientVer    string

	ProgressToken string // raw JSON
	StateHash     [8]byte
	TaskID        string
	CancelID      jsonrpc.ID // notifications/cancelled: which call
	Idempotency   string     // an idempotency key among the arguments
	Traceparent   string
	RequestState  bool // an input-required round goes on
	Cursor        bool
	Meta          bool // params._meta has a key of io.modelcontextprotocol/
	ClientCaps    bool // … clientCapabilities among them
	Capabilities  bool // initialize: params.capabilities is an object
	LogLevel      bool
	Size          int
}

const metaPrefix = "io.modelcontextprotocol/"

// IsCall reports whether an answer is owed.
func (c *Call) IsCall() bool { return c.Kind == KindRequest }

// ReadCall takes from a JSON-RPC message what identifies it.
func ReadCall(m jsonrpc.Message) Call {
	c := Call{Method: m.Method, ID: m.ID}
	switch m.Kind {
	case jsonrpc.Request:
		c.Kind = KindRequest
	case jsonrpc.Notification:
		c.Kind = KindNotification
	case jsonrpc.Result, jsonrpc.Error:
		c.Kind = KindResponse
		return c
	default:
		c.Kind = KindNone
		return c
	}
	c.Fingerprint = jsonrpc.Fingerprint(m.Method, m.Params, func(key, canonical []byte) {
		switch string(key) {
		case "arguments":
			c.ArgsHash = shortHash(canonical)
		case "requestState":
			c.StateHash = shortHash(canonical)
		}
	})
	c.Size = len(m.Params)
	c.readParams(&m)
	return c
}

// readParams takes what matters from the members of the params.
func (c *Call) readParams(m *jsonrpc.Message) {
	uri := ""
	m.Each(func(key, raw []byte) {
		switch string(key) {
		case "name":
			c.Name = textOf(raw)
		case "uri":
			uri = textOf(raw)
		case "taskId":
			c.TaskID = textOf(raw)
		case "arguments":
			c.readArguments(raw)
		case "requestState", "inputResponses":
			c.RequestState = true
		case "cursor":
			c.Cursor = true
		case "requestId":
			c.CancelID = jsonrpc.ID(bytes.TrimSpace(raw))
		case "protocolVersion":
			c.AskedVersion = textOf(raw)
		case "capabilities":
			c.Capabilities = raw[0] == '{'
		case "clientInfo":
			c.readClient(raw)
		case "_meta":
			c.readMeta(raw)
		}
	})
	if c.Name == "" {
		c.Name = uri
	}
}

func textOf(raw []byte) string {
	s, _ := jsonrpc.Text(raw)
	return s
}

// readArguments looks for an idempotency key among the arguments.
func (c *Call) readArguments(args []byte) {
	if !bytes.Contains(args, []byte("idempotency")) {
		return
	}
	for _, k := range []string{"idempotency_key", "idempotencyKey"} {
		if raw, ok := jsonrpc.Get(args, k); ok {
			c.Idempotency = textOf(raw)
		}
	}
}

func (c *Call) readClient(info []byte) {
	if n := textAt(info, "name"); n != "" {
		c.ClientName, c.ClientVer = n, textAt(info, "version")
	}
}

func (c *Call) readMeta(meta []byte) {
	jsonrpc.Members(meta, func(key, raw []byte) {
		switch string(key) {
		case "progressToken":
			c.ProgressToken = string(raw)
		case "traceparent":
			c.Traceparent = textOf(raw)
		}
		rest, ok := bytes.CutPrefix(key, []byte(metaPrefix))
		if !ok {
			return
		}
		c.Meta = true
		switch string(rest) {
		case "protocolVersion":
			c.MetaVersion = textOf(raw)
		case "clientCapabilities":
			c.ClientCaps = true
		case "logLevel":
			c.LogLevel = true
		case "clientInfo":
			c.readClient(raw)
		}
	})
}

// canonical returns raw in a form that is equal for equal values; malformed JSON stays as it is.
func canonical(raw []byte, drop ...string) []byte {
	if b, err := jsonrpc.Canonical(raw, drop...); err == nil {
		return b
	}
	return raw
}

func shortHash(b []byte) (h [8]byte) {
	sum := sha256.Sum256(b)
	copy(h[:], sum[:])
	return h
}

// readRequest takes the calls from a request body. batch: the body was an array. err: it holds none, a *jsonrpc.SyntaxError
// where it is not even JSON.
func readRequest(body []byte) (calls []Call, batch bool, err error) {
	p := parsers.Get().(*jsonrpc.Parser)
	defer giveBack(p)
	ms, batch, err := p.Parse(body)
	if err != nil {
		return nil, false, err
	}
	calls = make([]Call, 0, len(ms))
	for _, m := range ms {
		if m.Kind == jsonrpc.Invalid {
			return nil, false, errNoCall
		}
		calls = append(calls, ReadCall(m))
	}
	if len(calls) == 0 {
		return nil, false, errNoCall
	}
	return calls, batch, nil
}

var errNoCall = errors.New("not a JSON-RPC message")

// ToolHints are a tool's own claims about itself, from a tools/list result. They are hints, not promises.
type ToolHints struct {
	Name                 string
	ReadOnly, Idempotent bool
	Destructive          bool
	HasDestructive       bool
	ParamHeaders         map[string]string // argument → header (x-mcp-header)
}

// ReadTools returns the tools of a tools/list result.
func ReadTools(result []byte) []ToolHints {
	var r struct {
		Tools []struct {
			Name        string
			Annotations struct {
				ReadOnlyHint, IdempotentHint bool
				DestructiveHint              *bool
			}
		}
	}
	if json.Unmarshal(result, &r) != nil {
		return nil
	}
	var out []ToolHints
	for _, t := range r.Tools {
		h := ToolHints{Name: t.Name, ReadOnly: t.Annotations.ReadOnlyHint, Idempotent: t.Annotations.IdempotentHint}
		if d := t.Annotations.DestructiveHint; d != nil {
			h.HasDestructive, h.Destructive = true, *d
		}
		out = append(out, h)
	}
	return out
}
