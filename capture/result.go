package capture

import (
	"hash/maphash"

	"mcptrace/capture/wire/jsonrpc"
)

// ResultFacts are the few members of a result or error that later messages refer to. They may be shared: do not change
// them.
type ResultFacts struct {
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
	tools      *[]ToolHints
}

// Tools returns what a tools/list result says of each tool.
func (f *ResultFacts) Tools() []ToolHints {
	if f.tools == nil {
		return nil
	}
	return *f.tools
}

// noResult is what is known of a message that is no response.
var noResult = new(ResultFacts)

// AnswerSum tells answers apart without keeping them. It differs from run to run.
type AnswerSum struct {
	Raw    uint64 // of the result or error as it stood on the wire
	Digest uint64 // of its value without _meta; zero where it is too large to be worth it
}

// Same compares two answers: +1 equal, -1 different, 0 not known (too large to be compared but byte by byte).
func (s AnswerSum) Same(t AnswerSum) int {
	switch {
	case s.Raw == t.Raw, s.Digest == t.Digest && s.Digest != 0:
		return +1
	case s.Digest == 0 || t.Digest == 0:
		return 0
	}
	return -1
}

// digestLimit is the size up to which results are compared by value.
const digestLimit = 4 << 10

var rawSeed = maphash.MakeSeed()

func sumOf(answer []byte) AnswerSum {
	s := AnswerSum{Raw: maphash.Bytes(rawSeed, answer)}
	if len(answer) <= digestLimit {
		s.Digest, _ = jsonrpc.Digest(answer, "_meta")
	}
	return s
}

// readResult takes the facts from a response.
func readResult(m jsonrpc.Message) (*ResultFacts, AnswerSum) {
	if m.Kind == jsonrpc.Error {
		return &ResultFacts{Code: m.Code}, sumOf(m.Err)
	}
	var f ResultFacts
	f.members(&m)
	if f.Shape == "tools" {
		tools := ReadTools(m.Result)
		f.tools = &tools
	}
	return f.kept(), sumOf(m.Result)
}

// commonResults are what most answers say, once for all of them.
var commonResults = []*ResultFacts{
	noResult, {Shape: "content"}, {Shape: "resources"},
	{ResultType: "complete"}, {ResultType: "complete", Shape: "content"}, {ResultType: "complete", Shape: "resources"},
}

// kept returns f for keeping: a common one where there is one that is equal.
func (f *ResultFacts) kept() *ResultFacts {
	for _, c := range commonResults {
		if *f == *c {
			return c
		}
	}
	own := *f
	return &own
}

// members takes the facts from the members of a result.
func (f *ResultFacts) members(m *jsonrpc.Message) {
	var has shape
	m.Each(func(key, raw []byte) {
		switch string(key) {
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
	})
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
