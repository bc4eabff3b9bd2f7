package jsonrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want string // kind id method params result err code V2
	}{
		{`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"a":1}}`, `request 1 tools/call {"a":1}   0 true`},
		{` { "params" : [ 1 ] , "method" : "x" , "jsonrpc" : "2.0" } `, `notification  x [ 1 ]   0 true`},
		{`{"jsonrpc":"2.0","id":"a\"b","result":{}}`, `result "a\"b"   {}  0 true`},
		{`{"id":0,"result":null}`, `result 0   null  0 false`},
		{`{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"m"}}`, `error null    {"code":-32700,"message":"m"} -32700 true`},
		{`{"jsonrpc":"2.0","error":{"code":-3.2e4}}`, `error     {"code":-3.2e4} -32000 true`},
		{`{"jsonrpc":"2.0","id":1,"error":"text"}`, `error 1    "text" 0 true`},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":1.5}}`, `error 1    {"code":1.5} 0 true`},
		{`{"jsonrpc":"2.0","id":1,"error":{"code":99999999999999999999}}`, `error 1    {"code":99999999999999999999} 0 true`},
		{`{"jsonrpc":"2.0","id":1,"result":1,"error":{}}`, `invalid 1   1 {} 0 true`},
		{`{"jsonrpc":"2.0","id":1,"result":1,"method":"m"}`, `invalid 1 m  1  0 true`},
		{`{"jsonrpc":"2.0","id":1}`, `invalid 1     0 true`},
		{`{"jsonrpc":"2.0","id":[1],"method":"m"}`, `invalid [1] m    0 true`},
		{`{"jsonrpc":"2.0","id":true,"result":1}`, `invalid true   1  0 true`},
		{`{"jsonrpc":2.0,"id":1,"method":7}`, `invalid 1     0 false`},
		{`{"jsonrpc":"2.0","id":null,"method":"m"}`, `request null m    0 true`},
		{`{"id":1,"id":2,"\u0069d":3,"method":"m"}`, `request 3 m    0 false`},
		{`{"ID":1,"Method":"m"}`, `invalid      0 false`},
		{`{"method":"t\u006fols\/list"}`, `notification  tools/list    0 false`},
		{`{}`, `invalid      0 false`},
	} {
		ms, batch, err := Parse([]byte(tt.in))
		if err != nil || batch || len(ms) != 1 {
			t.Errorf("%s: %d messages, batch %v, err %v", tt.in, len(ms), batch, err)
			continue
		}
		m := ms[0]
		got := fmt.Sprintf("%s %s %s %s %s %s %d %v", m.Kind, m.ID, m.Method, m.Params, m.Result, m.Err, m.Code, m.V2)
		if got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.in, got, tt.want)
		}
		if m.IsResponse() != (m.Kind == Result || m.Kind == Error) {
			t.Errorf("%s: IsResponse", tt.in)
		}
	}
}

func TestParseBatch(t *testing.T) {
	ms, batch, err := Parse([]byte(`[{"id":1,"method":"a"}, {"method":"b"} ,{"id":1,"result":[]},{}]`))
	if err != nil || !batch || len(ms) != 4 {
		t.Fatalf("%d messages, batch %v, err %v", len(ms), batch, err)
	}
	for i, want := range []Kind{Request, Notification, Result, Invalid} {
		if ms[i].Kind != want {
			t.Errorf("message %d: %s, want %s", i, ms[i].Kind, want)
		}
	}
	if ms, batch, err := Parse([]byte(" [ ] ")); err != nil || !batch || len(ms) != 0 {
		t.Errorf("empty batch: %d messages, batch %v, err %v", len(ms), batch, err)
	}
}

func TestParseErrors(t *testing.T) {
	for _, tt := range []struct {
		in     string
		offset int64
	}{
		{"", 0}, {"  ", 2}, {"1", 0}, {` "x"`, 1}, {"nul", 3}, {"x", 0}, {"{", 1}, {"{} x", 3}, {"{}{}", 2}, {"{,}", 1}, {`{"a"}`, 4},
		{`{"a":}`, 5}, {`{"a":1,}`, 7}, {`{"a":01}`, 6}, {`{"a":"\x"}`, 7}, {"{\"a\":\"\n\"}", 6}, {`{"a":"\u12g4"}`, 10},
		{`[1]`, 1}, {`[{},]`, 4}, {`[{}`, 3}, {`{"a":[1}`, 7}, {`{"a":{"b":1]`, 11}, {`{"a":-}`, 6}, {`{"a":1.}`, 7}, {`{"a":1e}`, 7},
		{"{\"a\":\x00}", 5}, {"\xEF\xBB\xBF{}", 0}, {`{"a":+1}`, 5}, {`{a:1}`, 1},
	} {
		ms, _, err := Parse([]byte(tt.in))
		var syntax *SyntaxError
		if ms != nil || !errors.As(err, &syntax) || syntax.Offset != tt.offset {
			t.Errorf("%q: %v, want offset %d", tt.in, err, tt.offset)
		}
	}
}

func TestLimits(t *testing.T) {
	nest := func(n int) string {
		return `{"params":` + strings.Repeat("[", n) + strings.Repeat("]", n) + `}`
	}
	if _, _, err := Parse([]byte(nest(MaxDepth - 1))); err != nil {
		t.Error(err)
	}
	if _, _, err := Parse([]byte(nest(MaxDepth))); err == nil {
		t.Error("too deep, no error")
	}
	if _, err := Canonical([]byte(nest(MaxDepth - 1))); err != nil {
		t.Error(err)
	}
	if _, err := Canonical([]byte(nest(MaxDepth))); err == nil {
		t.Error("too deep, no error")
	}
	if _, _, err := Parse([]byte(strings.Repeat("[", 1<<20))); err == nil {
		t.Error("too deep, no error")
	}
	batch := "[" + strings.Repeat("{},", MaxBatch-1) + "{}"
	if ms, _, err := Parse([]byte(batch + "]")); err != nil || len(ms) != MaxBatch {
		t.Error(len(ms), err)
	}
	if _, _, err := Parse([]byte(batch + ",{}]")); err == nil {
		t.Error("too many messages, no error")
	}
}

func TestIDEqual(t *testing.T) {
	for _, tt := range []struct {
		a, b ID
		want bool
	}{
		{"1", "1", true}, {"1", "1.0", true}, {"1", "10e-1", true}, {"1", `"1"`, false}, {"0", "-0", true}, {"0", "0e5", true},
		{"100", "1e2", true}, {"1", "-1", false}, {"12", "120", false}, {"9007199254740993", "9007199254740992", false},
		{`"a"`, `"\u0061"`, true}, {`"a"`, `"A"`, false}, {`""`, `""`, true}, {"null", "null", true}, {"null", `"null"`, false},
		{"", "", true}, {"", "null", false}, {"null", "0", false}, {"1e99999999999", "1e99999999999", true}, {"1e99999999999", "1e99999999998", false},
		{"0e99999999999", "0", true}, {"[1]", "[ 1]", false},
	} {
		if got := tt.a.Equal(tt.b); got != tt.want {
			t.Errorf("%s equals %s: %v", tt.a, tt.b, got)
		}
		if tt.a.Equal(tt.b) != tt.b.Equal(tt.a) {
			t.Errorf("%s, %s: not symmetric", tt.a, tt.b)
		}
	}
}

func TestGet(t *testing.T) {
	obj := []byte(` {"a":{"b":[1],"b": {"c":"x"} },"\u0064":2,"e":{"f":1]}`)
	if _, ok := Get(obj, "a"); ok {
		t.Error("malformed object")
	}
	obj = []byte(` {"a":{"b":[1],"b": {"c":"x"} },"\u0064":2,"a\"":3}`)
	for _, tt := range []struct {
		path, want string
	}{{"a b c", `"x"`}, {"a b", `{"c":"x"}`}, {"d", "2"}, {`a"`, "3"}, {"x", ""}, {"d x", ""}, {"a x c", ""}} {
		got, ok := Get(obj, strings.Split(tt.path, " ")...)
		if string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: %s, %v", tt.path, got, ok)
		}
	}
	if got, ok := Get([]byte(" 1 ")); !ok || string(got) != "1" {
		t.Error("empty path")
	}
}

func TestText(t *testing.T) {
	for _, in := range []string{`""`, `"a"`, `"\"\\\/\b\f\n\r\t"`, `"é\u00e9\ud83d\ude00😀"`, `"\ud83d"`, `"\ude00x"`, `"\ud83d\u0041"`, `"\ud83d\ud83d\ude00"`, "\"\xff\xfe a\"", `"\u0000"`} {
		var want string
		if err := json.Unmarshal([]byte(in), &want); err != nil {
			t.Fatal(in, err)
		}
		if got, ok := Text([]byte(in)); !ok || got != want {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
	for _, in := range []string{"", `"`, "1", `"a" `, `"\"`, "null", `"a"b"`} {
		if _, ok := Text([]byte(in)); ok {
			t.Errorf("%s is a string", in)
		}
	}
}

// TestEach: the members are those of the value that belongs to the kind, whatever else stands beside it.
func TestEach(t *testing.T) {
	for text, want := range map[string]string{
		`{"id":1,"result":{"a":1}}`:                                      "a",
		`{"id":1,"params":null,"result":{"a":1}}`:                        "a",
		`{"id":1,"params":{"b":1},"result":{"a":1}}`:                     "a",
		`{"id":1,"result":{"b":1},"result":{"a":1,"c":2}}`:               "ac",
		`{"id":1,"result":{"b":1},"result":7}`:                           "",
		`{"id":1,"error":{"code":1,"x":2}}`:                              "codex",
		`{"method":"m","params":{"\u0061":1}}`:                           "a",
		`{"method":"m","params":[1]}`:                                    "",
		`{"id":1,"result":{` + strings.Repeat(`"a":1,`, 300) + `"b":2}}`: strings.Repeat("a", 300) + "b",
	} {
		ms, _, err := Parse([]byte(text))
		if err != nil {
			t.Fatal(text, err)
		}
		got := ""
		ms[0].Each(func(key, value []byte) { got += string(key) })
		if got != want {
			t.Errorf("%.60s: %q, want %q", text, got, want)
		}
	}
}
