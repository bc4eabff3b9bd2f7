package jsonrpc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

func seeds() []string {
	return append([]string{
		`[{"id":1,"method":"a"},{"id":1,"result":[]}]`, `[]`, `{}`, `[1]`, `"x"`, `1`, `nul`, `{"a":"\ud83d\ude00\u0000\n"}`,
		`{"a":[1,-2.5e+10,0.1,true,false,null,{"b":{}}]}`, "{\"a\":\"\xff\"}", `{"id":1,"id":"2","\u0069d":3}`, `{"a":1}x`, ` { "a" : 1 } `,
		`{"b":1,"a":2,"b":3,"\u0061":4}`, `{"id":1,"params":null,"result":{"isError":true}}`, `{"id":1,"result":{"a":1},"params":{"b":2},"result":{"c":3}}`, `{"a":1e400}`, `{"a":100000000000000000000000}`, "{\"a\":\"\x1f\"}", `{"error":{"code":-1,"code":2}}`,
	}, prefixes...)
}

// tooDeepFor reports whether in may be nested deeper than this package accepts.
func tooDeepFor(in []byte) bool {
	return bytes.Count(in, []byte("["))+bytes.Count(in, []byte("{")) > MaxDepth
}

// members counts the members of the object in, repeated keys included.
func members(in []byte) (n int) {
	c := cursor{b: in}
	c.space()
	c.members(func([]byte) bool { n++; return c.value(1) })
	return n
}

// FuzzParse compares validity and values with encoding/json.
func FuzzParse(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if tooDeepFor(in) {
			return
		}
		ms, batch, err := Parse(in)
		var elements []map[string]json.RawMessage
		jsonErr := json.Unmarshal(in, &elements)
		if !batch {
			elements = make([]map[string]json.RawMessage, 1)
			jsonErr = json.Unmarshal(in, &elements[0])
		}
		null := bytes.Contains(in, []byte("null")) // which encoding/json takes for an object
		if (err == nil) != (jsonErr == nil) && !null {
			t.Fatalf("%q: %v, encoding/json says %v", in, err, jsonErr)
		}
		if err != nil {
			return
		}
		if len(ms) != len(elements) {
			t.Fatalf("%q: %d messages, want %d", in, len(ms), len(elements))
		}
		for i, m := range ms {
			e := elements[i]
			for key, got := range map[string][]byte{"id": []byte(m.ID), "params": m.Params, "result": m.Result, "error": m.Err} {
				if !bytes.Equal(got, e[key]) {
					t.Fatalf("%q: %s is %s, want %s", in, key, got, e[key])
				}
			}
			var method string
			if json.Unmarshal(e["method"], &method) == nil && method != m.Method {
				t.Fatalf("%q: method %q, want %q", in, m.Method, method)
			}
		}
		for _, m := range ms {
			checkMembers(t, m)
		}
		if !batch && len(in) < 2000 && members(in) == len(elements[0]) {
			checkPrefixes(t, in, ms[0])
		}
	})
}

// checkMembers compares the members that were noted with those that are found by looking for them.
func checkMembers(t *testing.T, m Message) {
	if m.members == nil {
		return
	}
	i := 0
	Members(m.held(), func(key, value []byte) {
		if i >= len(m.members) || !bytes.Equal(m.members[i].key, key) || !bytes.Equal(m.members[i].value, value) {
			t.Fatalf("%s: member %d is not %q", m.held(), i, key)
		}
		i++
	})
	if i != len(m.members) {
		t.Fatalf("%s: %d members, want %d", m.held(), len(m.members), i)
	}
}

// FuzzCanonical checks that the canonical form means the same and is its own canonical form.
func FuzzCanonical(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if tooDeepFor(in) {
			return
		}
		once, err := Canonical(in)
		if (err == nil) != json.Valid(in) {
			t.Fatalf("%q: %v", in, err)
		}
		if err != nil {
			return
		}
		twice, err := Canonical(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%q: %q, then %q, %v", in, once, twice, err)
		}
		var a, b any
		if json.Unmarshal(in, &a) != nil {
			return // a number beyond a double
		}
		if err := json.Unmarshal(once, &b); err != nil || !reflect.DeepEqual(a, b) {
			t.Fatalf("%q: %q, %v", in, once, err)
		}
	})
}

// FuzzDigest checks that two texts have one digest exactly if they have one canonical form.
func FuzzDigest(f *testing.F) {
	for _, s := range seeds() {
		for _, t := range []string{s, `{"b":1.0,"a":2,"b":3}`, `{"a":2,"b":3}`} {
			f.Add([]byte(s), []byte(t))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte) {
		p, errP := Canonical(a, "a")
		q, errQ := Canonical(b, "a")
		x, errX := Digest(a, "a")
		y, errY := Digest(b, "a")
		if (errP == nil) != (errX == nil) || (errQ == nil) != (errY == nil) {
			t.Fatalf("%q: %v, %v; %q: %v, %v", a, errP, errX, b, errQ, errY)
		}
		if errP == nil && errQ == nil && bytes.Equal(p, q) != (x == y) {
			t.Fatalf("%q and %q: digests %x and %x, canonical %s and %s", a, b, x, y, p, q)
		}
		if z, err := Digest(p); errP == nil && (err != nil || z != x) {
			t.Fatalf("%q: digest %x, of its canonical form %x, %v", a, x, z, err)
		}
	})
}

// FuzzAccess compares Get and Text with encoding/json, and checks that Prefix takes anything.
func FuzzAccess(f *testing.F) {
	for _, s := range seeds() {
		f.Add([]byte(s), "a")
	}
	f.Fuzz(func(t *testing.T, in []byte, key string) {
		Prefix(in)
		if tooDeepFor(in) {
			return
		}
		Fingerprint(key, in, func([]byte, []byte) {})
		ID(in).Equal(ID(key))
		var s string
		text, ok := Text(in)
		if want := json.Unmarshal(in, &s) == nil && len(in) > 0 && in[0] == '"' && in[len(in)-1] == '"'; ok != want || ok && text != s {
			t.Fatalf("%q: %q, %v", in, text, ok)
		}
		var obj map[string]json.RawMessage
		if json.Unmarshal(in, &obj) != nil {
			return
		}
		want, has := obj[strings.ToValidUTF8(key, "\uFFFD")]
		if got, ok := Get(in, key); strings.ToValidUTF8(key, "") == key && (ok != has || !bytes.Equal(got, want)) {
			t.Fatalf("%q, key %q: %s, %v; want %s, %v", in, key, got, ok, want, has)
		}
	})
}
