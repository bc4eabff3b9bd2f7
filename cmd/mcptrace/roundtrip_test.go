package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// comparable returns a report as text that can be compared: all of it but where it was read from.
func comparable(t testing.TB, text string) string {
	t.Helper()
	var r map[string]any
	decode(t, text, &r)
	delete(r, "inputs")
	out, err := json.MarshalIndent(r, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// sameReport compares the report on a capture with those on recordings of it, with secrets and without.
func sameReport(t *testing.T, input []string) {
	t.Helper()
	want := comparable(t, mustInvoke(t, append([]string{"analyze", "--format", "json"}, input...)...).out)
	for _, flags := range [][]string{{"--keep-secrets"}, nil} {
		db := filepath.Join(t.TempDir(), "r.db")
		mustInvoke(t, append(append([]string{"record", "pcap", "-o", db}, flags...), input...)...)
		if diff := cmp.Diff(want, comparable(t, mustInvoke(t, "analyze", "--format", "json", db).out)); diff != "" {
			t.Errorf("recorded with %v: the capture -, the recording +:\n%s", flags, diff)
		}
	}
}

// TestRecordThenAnalyze: a recording tells what its capture tells.
func TestRecordThenAnalyze(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, input []string) { sameReport(t, input) })
}

// TestManyInputs: captures and recordings given together tell what they tell as one.
func TestManyInputs(t *testing.T) {
	one := capturetest.File(t, broken(40001, 0), broken(40002, time.Hour))
	first, second := capturetest.File(t, broken(40001, 0)), capturetest.File(t, broken(40002, time.Hour))
	db := filepath.Join(t.TempDir(), "second.db")
	mustInvoke(t, "record", "pcap", "--keep-secrets", "-o", db, second) // the sessions are the same one
	var want, captures, mixed told
	decode(t, mustInvoke(t, "analyze", "--format", "json", one).out, &want)
	decode(t, mustInvoke(t, "analyze", "--format", "json", second, first).out, &captures)
	decode(t, mustInvoke(t, "analyze", "--format", "json", first, db).out, &mixed)
	for name, r := range map[string]told{"two captures": captures, "a capture and a recording": mixed} {
		if diff := cmp.Diff(texts(want.facts()), texts(r.facts())); diff != "" {
			t.Errorf("%s: one capture -, got +:\n%s", name, diff)
		}
	}
}

// TestStandardInput: a capture on standard input tells what the file tells.
func TestStandardInput(t *testing.T) {
	path := capturetest.File(t, broken(40001, 0))
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"analyze", "--format", "json", "-"}, bytes.NewReader(file), &out, &errs); code != exitOK || errs.Len() > 0 {
		t.Fatalf("exit code %d: %s", code, &errs)
	}
	want := comparable(t, mustInvoke(t, "analyze", "--format", "json", path).out)
	if diff := cmp.Diff(want, comparable(t, out.String())); diff != "" {
		t.Errorf("file -, standard input +:\n%s", diff)
	}
}

// TestSecrets: what identifies a session or a user does not reach a recording, and the report is none the worse.
func TestSecrets(t *testing.T) {
	const secret, token = "0a1b2c3d-session", "Bearer s3cr3t-t0k3n"
	headers := []string{"Mcp-Session-Id: " + secret, "Authorization: " + token, "Cookie: id=" + secret}
	path := capturetest.File(t, capturetest.NewTalk(40001).
		Ask(capturetest.Post("/mcp", capturetest.Call("1", "initialize", `{"protocolVersion":"2025-11-25"}`), headers[1])).
		Answer(capturetest.JSON(capturetest.Result("1", `{"protocolVersion":"2025-11-25"}`), headers[0])).
		Ask(capturetest.Post("/mcp", capturetest.Call("2", "tools/call", `{"name":"pay"}`), headers...)).
		Answer(capturetest.Stream(headers[0])+capturetest.Chunk(capturetest.Event(capturetest.Text("2", "paid")))).
		End(capture.Server, capture.RST))
	sameReport(t, []string{path})
	db := filepath.Join(t.TempDir(), "r.db")
	mustInvoke(t, "record", "pcap", "-o", db, path)
	file, err := os.ReadFile(db)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{secret, "s3cr3t"} {
		if bytes.Contains(file, []byte(s)) {
			t.Errorf("the recording holds %q", s)
		}
	}
	for _, r := range []result{mustInvoke(t, "analyze", path), mustInvoke(t, "analyze", "--format", "json", path)} {
		if bytes.Contains([]byte(r.out+r.err), []byte(secret)) || bytes.Contains([]byte(r.out+r.err), []byte("s3cr3t")) {
			t.Errorf("the report shows a secret")
		}
	}
}

// broken is a session whose call is answered, reset and issued again.
func broken(port uint16, after time.Duration) *capturetest.Talk {
	call := func(id string) string {
		return capturetest.Post("/mcp", capturetest.Call(id, "tools/call", `{"name":"pay","arguments":{"order":7}}`), "Mcp-Session-Id: s")
	}
	k := capturetest.NewTalk(port)
	k.Start = k.Start.Add(after)
	return k.Ask(call("1")).Wait(time.Millisecond).
		Answer(capturetest.Stream()+capturetest.Chunk(capturetest.Event(capturetest.Text("1", "paid")))).
		Wait(time.Second).
		Answer(capturetest.LastChunk).
		Ask(call("2")).
		Answer(capturetest.Stream()+capturetest.Chunk(": working\n\n")).
		End(capture.Server, capture.RST)
}
