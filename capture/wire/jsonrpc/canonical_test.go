package jsonrpc

import (
	"strings"
	"testing"
)

func TestCanonical(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		// RFC 8785 section 3.2.2 and 3.2.3.
		{`{"numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
		   "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
			`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`},
		{`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One","\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			"{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u0080\":\"Control\",\"ö\":\"Latin Small Letter O With Diaeresis\",\"€\":\"Euro Sign\",\"😀\":\"Emoji: Grinning Face\",\"\ufb33\":\"Hebrew Letter Dalet With Dagesh\"}"},
		// RFC 8785 appendix B, as far as doubles are written the shortest way.
		{`[0,-0,5e-324,-5e-324,1.7976931348623157e308,9007199254740992,-9007199254740992,295147905179352830000,9.999999999999997e22,1e23,1.0000000000000001e23]`,
			`[0,0,5e-324,-5e-324,1.7976931348623157e+308,9007199254740992,-9007199254740992,295147905179352830000,9.999999999999997e+22,1e+23,1.0000000000000001e+23]`},
		{`[999999999999999700000,999999999999999900000,1e21,9.999999999999997e-7,0.000001,333333333.3333332,-0.0000033333333333333333,1424953923781206.2]`,
			`[999999999999999700000,999999999999999900000,1e+21,9.999999999999997e-7,0.000001,333333333.3333332,-0.0000033333333333333333,1424953923781206.2]`},
		// Where this package goes further.
		{`[9007199254740993, 12345678901234567890123, 1e400, 1.5e400]`, `[9007199254740993,1.2345678901234567890123e+22,1e+400,1.5e+400]`},
		{`[1e-400, 1.0, 100e-2, 120]`, `[1e-400,1,1,120]`},
		{`{"b":1,"a":{"d":1,"c":2},"b":[ ]}`, `{"a":{"c":2,"d":1},"b":[]}`},
		{` {"a" : { } } `, `{"a":{}}`},
		{`"\b\t\n\f\r\u000b\u001f\u007f"`, `"\b\t\n\f\r\u000b\u001f` + "\u007f\""},
	} {
		got, err := Canonical([]byte(tt.in))
		if err != nil || string(got) != tt.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tt.in, err, got, tt.want)
		}
	}
	got, err := Canonical([]byte(`{"_meta":1,"b":{"_meta":2},"a":0,"_meta":3}`), "_meta")
	if err != nil || string(got) != `{"a":0,"b":{"_meta":2}}` {
		t.Errorf("drop: %s, %v", got, err)
	}
	for _, in := range []string{"", "{", "[1,]", "1 2", "nul", `"`, "01", "--1"} {
		if _, err := Canonical([]byte(in)); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
}

func TestFingerprint(t *testing.T) {
	base := `{"name":"t","arguments":{"a":1.0,"b":"x"}}`
	for _, tt := range []struct {
		method, params string
		same           bool
	}{
		{"tools/call", `{ "arguments": {"b":"\u0078","a":1}, "name":"t", "_meta":{"progressToken":7} }`, true},
		{"tools/call", `{"name":"t","arguments":{"a":1,"b":"x","_meta":{}}}`, false},
		{"tools/call", `{"name":"t","arguments":{"a":2,"b":"x"}}`, false},
		{"tools/list", base, false},
		{"tools/call", `{"name":"t","arguments":{"a":1.0,"b":"x"}`, false},
		{"tools/call", `{"name":"t","arguments":{"a":1,"b":"x"},"requestState":"s"}`, false},
	} {
		if got := Fingerprint(tt.method, []byte(tt.params), nil) == Fingerprint("tools/call", []byte(base), nil); got != tt.same {
			t.Errorf("%s %s: equal %v", tt.method, tt.params, got)
		}
	}
	for _, empty := range []string{"null", "{}", `{"_meta":{"x":1}}`} {
		if Fingerprint("ping", []byte(empty), nil) != Fingerprint("ping", nil, nil) {
			t.Errorf("%s differs from none", empty)
		}
	}
	large := func(n string) [32]byte { return Fingerprint("m", []byte(`{"id":`+n+`}`), nil) }
	if large("9007199254740993") == large("9007199254740992") {
		t.Error("large identifiers fall together")
	}
	deep := []byte(`{"a":` + strings.Repeat("[", 5000))
	if Fingerprint("m", deep, nil) == Fingerprint("m", deep[:len(deep)-1], nil) {
		t.Error("malformed params fall together")
	}
}
