package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// pcapDir holds real captures, each with its story and what it must show.
const pcapDir = "../../testdata/pcaps"

// corpus calls f for each capture, with the arguments that read it.
func corpus(t *testing.T, f func(t *testing.T, name string, input []string)) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(pcapDir, "*.pcap*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("%d captures, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(path, filepath.Ext(path))
		input := []string{path}
		if _, err := os.Stat(name + ".keys"); err == nil {
			input = append(input, "--keylog", name+".keys")
		}
		t.Run(filepath.Base(name), func(t *testing.T) { f(t, name, input) })
	}
}

// TestCorpus: each capture shows what its story says.
func TestCorpus(t *testing.T) {
	corpus(t, func(t *testing.T, name string, input []string) {
		story, err := txtar.ParseFile(name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		if len(bytes.TrimSpace(story.Comment)) == 0 {
			t.Error("the story does not say how the capture was made")
		}
		var r told
		decode(t, mustInvoke(t, append([]string{"analyze", "--format", "json"}, input...)...).out, &r)
		got := r.facts()
		if *update {
			story.Files = got
			if err := os.WriteFile(name+".txtar", txtar.Format(story), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		if diff := cmp.Diff(texts(story.Files), texts(got)); diff != "" {
			t.Errorf("want -, got +:\n%s", diff)
		}
	})
}

// TestCorpusListed: the list of captures names every capture, and no other.
func TestCorpusListed(t *testing.T) {
	list, err := os.ReadFile(filepath.Join(pcapDir, "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	corpus(t, func(t *testing.T, _ string, input []string) {
		n++
		if !strings.Contains(string(list), "| `"+filepath.Base(input[0])+"` |") {
			t.Errorf("README.md does not list %s", input[0])
		}
	})
	if rows := strings.Count(string(list), "\n| `"); rows != n {
		t.Errorf("README.md lists %d captures, there are %d", rows, n)
	}
}

func decode(t testing.TB, text string, v any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), v); err != nil {
		t.Fatal(err)
	}
}

func texts(files []txtar.File) map[string]string {
	m := map[string]string{}
	for _, f := range files {
		m[f.Name] = string(f.Data)
	}
	return m
}

// told is the part of the JSON report that the stories speak of.
type told struct {
	Exchanges []struct {
		ID   int
		HTTP struct {
			Method string
			Status *int
		}
		Call   struct{ Kind, Method string }
		Answer struct {
			Level, Evidence string
			EndOffset       *int64 `json:"end_offset"`
			Delivered       *bool
			Stream          *int
		}
		End   struct{ Kind, By string }
		Break *struct{ Where string }
		Hold  struct {
			Held *int64 `json:"held_ns"`
		}
		HopOf   *int `json:"hop_of"`
		Reissue *struct {
			Of                 int
			Finding, Duplicate string
		}
		Replay []struct{ Policy, Verdict string }
	}
	Sessions []json.RawMessage
	Findings []struct {
		Code, Severity string
		Exchanges      []int
	}
	Quality map[string]any
	Totals  json.RawMessage
}

// facts are the files of a story.
func (r *told) facts() []txtar.File {
	var exchanges, findings strings.Builder
	for i := range r.Exchanges {
		exchanges.WriteString(r.exchange(i) + "\n")
	}
	for _, f := range r.Findings {
		about := "-"
		if len(f.Exchanges) > 0 {
			about = fmt.Sprintf("#%d", f.Exchanges[0])
		}
		fmt.Fprintf(&findings, "%s %s %s\n", f.Code, about, f.Severity)
	}
	return []txtar.File{
		{Name: "totals.json", Data: append(compact(r.Totals), '\n')},
		{Name: "exchanges.json", Data: []byte(exchanges.String())},
		{Name: "findings.txt", Data: []byte(findings.String())},
	}
}

// exchange writes one exchange as a line of JSON; what is usual is left out.
func (r *told) exchange(i int) string {
	x := &r.Exchanges[i]
	line := fmt.Sprintf(`{"exchange": %d, "%s": "%s", "status": %s`, x.ID, x.HTTP.Method, x.Call.Method, value(x.HTTP.Status))
	if x.Call.Kind == "request" || x.Answer.Level != "none" {
		line += fmt.Sprintf(`, "answer": "%s", "end_offset": %s, "evidence": "%s", "delivered": %s`,
			x.Answer.Level, value(x.Answer.EndOffset), x.Answer.Evidence, value(x.Answer.Delivered))
	}
	if x.Answer.Stream != nil {
		line += fmt.Sprintf(`, "on": %d`, *x.Answer.Stream)
	}
	line += fmt.Sprintf(`, "end": "%s"`, strings.TrimSpace(x.End.Kind+" "+x.End.By))
	if x.Break != nil {
		line += fmt.Sprintf(`, "break": "%s"`, x.Break.Where)
	}
	if h := x.Hold.Held; h != nil && *h >= 1e6 {
		line += fmt.Sprintf(`, "held_ns": %d`, *h)
	}
	if x.HopOf != nil {
		line += fmt.Sprintf(`, "hop_of": %d`, *x.HopOf)
	}
	if p := x.Reissue; p != nil {
		line += fmt.Sprintf(`, "reissue": "%s of %d, duplicate: %s"`, p.Finding, p.Of, p.Duplicate)
	}
	if v := verdicts(x.Replay); v != "" {
		line += fmt.Sprintf(`, "verdicts": "%s"`, v)
	}
	return line + "}"
}

// verdicts names those of all policies in order; "" where each settled.
func verdicts(replay []struct{ Policy, Verdict string }) string {
	var all []string
	usual := true
	for _, o := range replay {
		all = append(all, o.Verdict)
		usual = usual && o.Verdict == "settled"
	}
	if usual {
		return ""
	}
	return strings.Join(all, " ")
}

func value[T any](p *T) string {
	if p == nil {
		return "null"
	}
	return fmt.Sprint(*p)
}

func compact(b []byte) []byte {
	var out bytes.Buffer
	if json.Compact(&out, b) != nil {
		return b
	}
	return out.Bytes()
}
