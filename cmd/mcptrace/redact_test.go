package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/wire/coding"
)

// unchanged returns what a redacted recording must tell like the one it came from: all but names and hashes of values, and
// the length that a content coding gives.
func unchanged(t *testing.T, text string) any {
	t.Helper()
	var r any
	decode(t, text, &r)
	return withoutValues(r)
}

func withoutValues(v any) any {
	switch x := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for k, v := range x {
			switch k {
			case "inputs", "notes", "name", "target", "message", "summary", "arguments", "idempotency", "arguments_hash", "idempotency_hash", "idempotency_key_hash", "wire_bytes":
			default:
				out[k] = withoutValues(v)
			}
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i := range x {
			out[i] = withoutValues(x[i])
		}
		return out
	}
	return v
}

// TestRedactKeepsVerdicts: lengths, times and verdicts of every capture are the same after redaction.
func TestRedactKeepsVerdicts(t *testing.T) {
	corpus(t, func(t *testing.T, name string, input []string) {
		in, out := filepath.Join(t.TempDir(), "in.db"), filepath.Join(t.TempDir(), "out.db")
		mustInvoke(t, append([]string{"record", "pcap", "-o", in}, input...)...)
		r := invoke("redact", in, out)
		if r.code != exitOK {
			t.Fatal(r.err)
		}
		if coded := strings.Contains(name, "gzip"); coded != strings.Contains(r.err, "compressed anew") {
			t.Errorf("compressed bodies: %v, it says %s", coded, r.err)
		}
		want := unchanged(t, mustInvoke(t, "analyze", "--format", "json", in).out)
		if diff := cmp.Diff(want, unchanged(t, mustInvoke(t, "analyze", "--format", "json", out).out)); diff != "" {
			t.Errorf("before -, redacted +:\n%s", diff)
		}
	})
}

// The secrets of the next tests, each where its name says.
var seeded = map[string]string{
	"authorization": "s3cr3t.bearer.0001", "cookie": "s3cr3tcookie0002", "set-cookie": "s3cr3tsetcookie0003", "session": "s3cr3t-session-0004",
	"api key": "s3cr3tapikey0005", "custom header": "s3cr3t custom 0006", "response header": "s3cr3t reply 0007", "query": "s3cr3tquery0008",
	"argument": "s3cr3t argument 0009", "nested argument": "s3cr3tnested0010", "argument name": "s3cr3t@name.0011", "result": "s3cr3t result 0012",
	"error": "s3cr3t error 0013", "error data": "s3cr3tdata0014", "event id": "s3cr3tevent0015", "last event id": "s3cr3tlast0016", "comment": "s3cr3t comment 0017",
	"progress": "s3cr3t progress 0018", "idempotency": "s3cr3tkey0019", "cut off": "s3cr3t cut 0020", "not JSON": "s3cr3t plain 0021", "trailer": "s3cr3ttrailer0022",
	"number": "5105105105105100", "tracestate": "s3cr3ttrace0023", "mirrored argument": "s3cr3tmirror0024", "meta": "s3cr3tmeta0025", "event name": "s3cr3tname0026",
	"referer": "s3cr3treferer0027", "escaped": "s3cr3t\\u002dumlaut-0028", "cursor": "s3cr3tcursor0029", "structured": "s3cr3tstruct0030",
	"compressed result": "s3cr3t compressed 0031", "compressed event id": "s3cr3tpacked0032",
}

// secretive is a capture with a secret in every place that can hold one.
func secretive(t *testing.T) string {
	s := seeded
	call := func(id, key string) string {
		args := `{"name":"pay","arguments":{"text":"` + s["argument"] + `","in":[{"x":"` + s["nested argument"] + `"}],"` + s["argument name"] + `":1,"card":` + s["number"] +
			`,"more":"` + s["escaped"] + `","idempotency_key":"` + s["idempotency"] + key + `"},"_meta":{"example.com/m":"` + s["meta"] + `"}}`
		return capturetest.Post("/mcp?api_key="+s["query"], capturetest.Call(id, "tools/call", args), "Authorization: Bearer "+s["authorization"], "Cookie: a="+s["cookie"],
			"Mcp-Session-Id: "+s["session"], "X-Api-Key: "+s["api key"], "X-Whatever: "+s["custom header"], "Tracestate: v="+s["tracestate"],
			"Mcp-Param-Text: "+s["mirrored argument"], "Referer: http://h.example/a?b="+s["referer"])
	}
	events := ": " + s["comment"] + "\n\n" +
		"id: " + s["event id"] + "\n" + capturetest.Event(capturetest.Note("notifications/progress", `{"progressToken":1,"progress":1,"message":"`+s["progress"]+`"}`)) +
		"event: " + s["event name"] + "\ndata: " + s["not JSON"] + "\n\n" +
		capturetest.Event(capturetest.Result("1", `{"content":[{"type":"text","text":"`+s["result"]+`"}],"structuredContent":{"a":"`+s["structured"]+`"},"nextCursor":"`+s["cursor"]+`"}`))
	return capturetest.File(t,
		capturetest.NewTalk(40001).
			Ask(call("1", "")).
			Answer(capturetest.Stream("Set-Cookie: b="+s["set-cookie"], "X-Reply: "+s["response header"], "Mcp-Session-Id: "+s["session"])+capturetest.Chunk(events)).
			End(capture.Server, capture.RST),
		capturetest.NewTalk(40002).
			Ask(call("2", "")).
			Answer(capturetest.Stream()+capturetest.Chunk(capturetest.Event(`{"jsonrpc":"2.0","id":2,"error":{"code":-32000,"message":"`+s["error"]+`","data":["`+s["error data"]+`"]}}`))+
				"0\r\nX-End: "+s["trailer"]+"\r\n\r\n"),
		capturetest.NewTalk(40003).
			Ask(call("3", "")).
			Answer(capturetest.Stream()+capturetest.Chunk(`data: {"jsonrpc":"2.0","id":3,"result":{"content":[{"type":"text","text":"`+s["cut off"])).
			End(capture.Server, capture.FIN),
		capturetest.NewTalk(40004).
			Ask(capturetest.Get("/mcp", "Mcp-Session-Id: "+s["session"], "Last-Event-ID: "+s["last event id"])).
			Answer(capturetest.Stream()+capturetest.Chunk(":\n\n")).
			End(capture.Client, capture.FIN),
		capturetest.NewTalk(40005).
			Ask(call("5", "")).
			Answer(capturetest.Stream("Content-Encoding: gzip")+capturetest.Chunk(gzipped(t, "id: "+s["compressed event id"]+"\n"+capturetest.Event(capturetest.Text("5", s["compressed result"]))))).
			End(capture.Server, capture.RST))
}

// gzipped compresses text, and leaves the stream open behind it.
func gzipped(t *testing.T, text string) string {
	enc, err := coding.NewEncoder("gzip", 0)
	if err != nil {
		t.Fatal(err)
	}
	return string(enc.Write([]byte(text)))
}

// TestSecretsStayOut: whatever the form, no secret stands in what is written unless it was asked for; nothing of one is
// left in a redacted recording of a recording that holds them all.
func TestSecretsStayOut(t *testing.T) {
	in := secretive(t)
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	kept, redacted := file("kept.db"), file("redacted.db")
	mustInvoke(t, "record", "pcap", "--keep-secrets", "-o", kept, in)
	mustInvoke(t, "redact", kept, redacted)
	said := map[string][]byte{}
	for _, input := range []string{in, kept, redacted} {
		name := filepath.Base(input)
		mustInvoke(t, "report", "-o", file("r.html"), "--csv", file("r.csv"), input)
		mustInvoke(t, "report", "-o", file("r.md"), input)
		for _, f := range []string{"r.html", "r.csv", "r.md"} {
			b, err := os.ReadFile(file(f))
			if err != nil {
				t.Fatal(err)
			}
			said[name+" "+f] = b
		}
		for _, args := range [][]string{{"analyze"}, {"analyze", "--format", "json"}, {"export", "--format", "jsonl"}, {"export", "--format", "har"}, {"export", "--format", "http-csv"},
			{"show", "--exchange", "1"}, {"show", "--exchange", "3"}} {
			r := mustInvoke(t, append(args, input)...)
			said[name+" "+strings.Join(args, " ")] = []byte(r.out + r.err)
		}
	}
	r := mustInvoke(t, "export", "--format", "pcapng", "--exchange", "1", in)
	said["pcapng"] = []byte(r.out)
	b, err := os.ReadFile(redacted)
	if err != nil {
		t.Fatal(err)
	}
	said["redacted.db"] = b
	for _, id := range []string{"1", "2", "3", "4", "5"} {
		said["redacted payload "+id] = []byte(mustInvoke(t, "show", "--payload", "--exchange", id, redacted).out)
	}
	for where, text := range said {
		for what, secret := range seeded {
			if what == "event name" && !strings.Contains(where, "redacted") {
				continue // as a method's: a word of the protocol
			}
			if bytes.Contains(text, []byte(secret)) || bytes.Contains(text, []byte(strings.ReplaceAll(secret, `\u002d`, "-"))) {
				t.Errorf("%s: the %s stands in it", where, what)
			}
		}
		text = bytes.ReplaceAll(text, []byte(seeded["event name"]), nil)
		if i := bytes.Index(text, []byte("s3cr3t")); i >= 0 {
			t.Errorf("%s: %q", where, text[max(0, i-40):min(len(text), i+40)])
		}
	}
	if r := mustInvoke(t, "show", "--payload", "--exchange", "1", in); !strings.Contains(r.out, seeded["result"]) || !strings.Contains(r.out, seeded["argument"]) {
		t.Error("payload that was asked for is not there")
	}
	if r := mustInvoke(t, "report", "--include-payload", "-o", file("p.html"), in); !strings.Contains(r.err, "warning") {
		t.Error("no warning of payload")
	}
	if r := mustInvoke(t, "show", "--payload", "--exchange", "5", in); !strings.Contains(r.out, seeded["compressed result"]) {
		t.Error("compressed payload that was asked for is not there")
	}
	p, _ := os.ReadFile(file("p.html"))
	if !bytes.Contains(p, []byte(seeded["result"])) {
		t.Error("payload that was asked for is not in the report")
	}
}

// TestArchive: what is exported as HAR is whole JSON with an entry for each exchange, in order.
func TestArchive(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, input []string) {
		for _, flags := range [][]string{nil, {"--include-payload"}} {
			var har struct {
				Log struct {
					Version string
					Entries []struct {
						Started string `json:"startedDateTime"`
						Time    float64
						Timings map[string]float64
						Trace   struct{ Exchange int } `json:"_mcptrace"`
					}
				}
			}
			decode(t, mustInvoke(t, append(append([]string{"export", "--format", "har"}, flags...), input...)...).out, &har)
			var r struct{ Exchanges []json.RawMessage }
			decode(t, mustInvoke(t, append([]string{"analyze", "--format", "json"}, input...)...).out, &r)
			if har.Log.Version != "1.2" || len(har.Log.Entries) > len(r.Exchanges) || len(har.Log.Entries) == 0 && len(r.Exchanges) > 0 && !strings.Contains(input[0], "one_direction") {
				t.Errorf("version %q, %d entries of %d exchanges", har.Log.Version, len(har.Log.Entries), len(r.Exchanges))
			}
			for i, e := range har.Log.Entries {
				sum := e.Timings["send"] + e.Timings["wait"] + e.Timings["receive"]
				if e.Time < 0 || sum-e.Time > 1e-6 || e.Time-sum > 1e-6 {
					t.Errorf("entry %d takes %v, its parts %v", i, e.Time, sum)
				}
			}
		}
	})
}
