package jsonrpc

import (
	"reflect"
	"testing"
)

// prefixes are whole messages that tests cut at every byte.
var prefixes = []string{
	`{"jsonrpc":"2.0","id":12,"result":{"content":[{"type":"text","text":"a\"}b"}]}}`,
	`{"result":{"x":1e5},"id":"abc","jsonrpc":"2.0"}`,
	`{"jsonrpc":"2.0","id":1.5,"error":{"code":-32603,"message":"m"}} `,
	` {"jsonrpc":"2.0","method":"notifications/progress","params":{"progress":1}}`,
	`{"method":"tools/call","id":0,"params":{}}`,
	`{"jsonrpc":"2.0","id":null,"result":null}`,
}

func TestPrefixAtEveryCut(t *testing.T) {
	for _, in := range prefixes {
		whole, _, err := Parse([]byte(in))
		if err != nil {
			t.Fatal(err)
		}
		checkPrefixes(t, []byte(in), whole[0])
	}
}

// checkPrefixes checks that what is known of a message at one cut stays known at all later ones, and
// that only the whole is complete.
func checkPrefixes(t *testing.T, in []byte, whole Message) {
	t.Helper()
	var last Message
	lastOK, lastComplete := false, false
	for n := range len(in) + 1 {
		m, complete, ok := Prefix(in[:n])
		switch {
		case lastOK && !ok:
			t.Fatalf("%s: no longer a message", in[:n])
		case lastComplete && !complete:
			t.Fatalf("%s: no longer complete", in[:n])
		case last.ID != "" && m.ID != last.ID, last.Method != "" && m.Method != last.Method:
			t.Fatalf("%s: id %s, method %s", in[:n], m.ID, m.Method)
		case last.IsResponse() && m.Kind != last.Kind:
			t.Fatalf("%s: kind %s", in[:n], m.Kind)
		case len(m.Result) < len(last.Result), len(m.Params) < len(last.Params), len(m.Err) < len(last.Err):
			t.Fatalf("%s: a value shrinks", in[:n])
		}
		_, _, err := Parse(in[:n])
		if complete != (err == nil) && ok {
			t.Fatalf("%s: complete %v, Parse says %v", in[:n], complete, err)
		}
		last, lastOK, lastComplete = m, ok, complete
	}
	if lastComplete && !reflect.DeepEqual(last, whole) {
		t.Fatalf("%s:\n got %+v\nwant %+v", in, last, whole)
	}
}

func TestPrefix(t *testing.T) {
	for _, tt := range []struct {
		in           string
		kind         Kind
		id           ID
		method       string
		result       string
		complete, ok bool
	}{
		{"", Invalid, "", "", "", false, false},
		{"{", Invalid, "", "", "", false, false},
		{`{"jsonrpc"`, Invalid, "", "", "", false, false},
		{`{"jsonrpc":`, Invalid, "", "", "", false, true},
		{`{"jsonrpc":"2.0","id":1`, Invalid, "", "", "", false, true},
		{`{"jsonrpc":"2.0","id":1,`, Invalid, "1", "", "", false, true},
		{`{"jsonrpc":"2.0","id":"a"`, Invalid, `"a"`, "", "", false, true},
		{`{"jsonrpc":"2.0","id":"a`, Invalid, "", "", "", false, true},
		{`{"id":1,"result"`, Invalid, "1", "", "", false, true},
		{`{"id":1,"result":`, Result, "1", "", "", false, true},
		{`{"id":1,"result":{"a":[1,{`, Result, "1", "", `{"a":[1,{`, false, true},
		{`{"id":1,"result":tr`, Result, "1", "", "tr", false, true},
		{`{"result":{},"id":1}`, Result, "1", "", "{}", true, true},
		{`{"method":"m"`, Notification, "", "m", "", false, true},
		{`{"method":"m","id":7,`, Request, "7", "m", "", false, true},
		{`{"a":1}`, Invalid, "", "", "", true, false},
		{`{"a":1`, Invalid, "", "", "", false, false},
		{`{"id":1,"result":{}} x`, Invalid, "", "", "", false, false},
		{`{"id":1,"result":}`, Invalid, "", "", "", false, false},
		{`{"id":1,x`, Invalid, "", "", "", false, false},
		{`[{"id":1}`, Invalid, "", "", "", false, false},
		{`{"id":1,"id":2`, Invalid, "1", "", "", false, true},
	} {
		m, complete, ok := Prefix([]byte(tt.in))
		if m.Kind != tt.kind || m.ID != tt.id || m.Method != tt.method || string(m.Result) != tt.result || ok != tt.ok || complete != tt.complete && ok {
			t.Errorf("%s: %s id %s method %s result %s, complete %v, ok %v", tt.in, m.Kind, m.ID, m.Method, m.Result, complete, ok)
		}
	}
}
