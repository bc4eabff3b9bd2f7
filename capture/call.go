package capture

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"hash/maphash"

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
	RequestState  bool   // an input-required round goes on
	StateHash     [8]byte
	TaskID        string
	Cursor        bool
	CancelID      jsonrpc.ID // notifications/cancelled: which call
	Idempotency   string     // an idempotency key among the arguments
	Traceparent   string
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
	c.readParams(m.Members)
	return c
}

// readParams takes what matters from the members of the params.
func (c *Call) readParams(params []jsonrpc.Member) {
	uri := ""
	for i := range params {
		raw := params[i].Value
		switch string(params[i].Key) {
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
	}
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
	defer parsers.Put(p)
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

// ResultFacts are the few members of a result or error that later messages refer to.
type ResultFacts struct {
	Raw        uint64  // hash of the result or error as it stood on the wire; differs from run to run
	Digest     uint64  // of its value without _meta; zero for results too large to be worth it; differs from run to run
	Code       int64   // of an error
	IsError    bool    // tools/call: the tool said it failed
	ResultType string  // modern: complete, input_required, task
	StateHash  [8]byte // requestState of an input_required result
	State      bool
	TaskID     string
	TaskStatus string
	Version    string // initialize: the version agreed on
	ServerName string
	ServerVer  string
	NextCursor bool
	Shape      string // what the members look like: initialize, discover, tools, content, resources
	Tools      []ToolHints
}

// Same compares two answers: +1 equal, -1 different, 0 not known (too large to be compared but byte by byte).
func (f *ResultFacts) Same(g *ResultFacts) int {
	switch {
	case f.Raw == g.Raw, f.Digest == g.Digest && f.Digest != 0:
		return +1
	case f.Digest == 0 || g.Digest == 0:
		return 0
	}
	return -1
}

// digestLimit is the size up to which results are compared by value.
const digestLimit = 4 << 10

var rawSeed = maphash.MakeSeed()

// readResult takes the facts from a response.
func readResult(m jsonrpc.Message) *ResultFacts {
	body := m.Result
	if m.Kind == jsonrpc.Error {
		body = m.Err
	}
	f := &ResultFacts{Code: m.Code, Raw: maphash.Bytes(rawSeed, body)}
	if len(body) <= digestLimit {
		f.Digest, _ = jsonrpc.Digest(body, "_meta")
	}
	if m.Kind == jsonrpc.Result {
		f.members(m.Members)
	}
	if f.Shape == "tools" {
		f.Tools = ReadTools(body)
	}
	return f
}

// members takes the facts from the members of a result.
func (f *ResultFacts) members(result []jsonrpc.Member) {
	var has shape
	for i := range result {
		raw := result[i].Value
		switch string(result[i].Key) {
		case "isError":
			f.IsError = string(raw) == "true"
		case "resultType":
			f.ResultType = textOf(raw)
		case "requestState":
			f.State, f.StateHash = true, shortHash(canonical(raw))
		case "taskId":
			f.TaskID = textOf(raw)
		case "status":
			f.TaskStatus = textOf(raw)
		case "task":
			f.TaskID, f.TaskStatus = textAt(raw, "taskId"), textAt(raw, "status")
		case "protocolVersion":
			f.Version, has.version = textOf(raw), true
		case "serverInfo":
			f.ServerName, f.ServerVer, has.server = textAt(raw, "name"), textAt(raw, "version"), true
		case "nextCursor":
			f.NextCursor = true
		case "capabilities":
			has.capabilities = true
		case "supportedVersions":
			has.versions = true
		case "tools":
			has.tools = true
		case "content":
			has.content = true
		case "resources":
			has.resources = true
		}
	}
	f.Shape = has.name()
}

// textAt returns the text of a member of obj, "" where it has none.
func textAt(obj []byte, key string) string {
	raw, _ := jsonrpc.Get(obj, key)
	return textOf(raw)
}

// shape is which telling members a result has.
type shape struct{ version, server, capabilities, versions, tools, content, resources bool }

// name says what a result looks like, for recognition without its request.
func (s shape) name() string {
	switch {
	case s.capabilities && s.server && s.version:
		return "initialize"
	case s.versions && s.capabilities:
		return "discover"
	case s.tools:
		return "tools"
	case s.content:
		return "content"
	case s.resources:
		return "resources"
	}
	return ""
}

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
