package analyze

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/findings.md anew")

const findingsPage = "../docs/findings.md"

// TestDocs keeps the page of findings equal to the rules.
func TestDocs(t *testing.T) {
	want := findings()
	if *update {
		if err := os.WriteFile(findingsPage, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(findingsPage)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the rules say; go test ./analyze -run TestDocs -update writes it", findingsPage)
	}
}

// findings writes the page: one section per rule, in the order of the catalogue.
func findings() []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Findings\n\nWhat `mcptrace analyze` may say, by code. `mcptrace findings CODE` shows the same. Made from the rules; do not edit.\n\n"+
		"The severity is the usual one: a finding may be lower, where bytes are missing from the capture, where a second run does no harm, or where an\n"+
		"exchange may be something else. Those marked *on request* are said with `--all-findings` only.\n\n| code | severity | what |\n| --- | --- | --- |\n")
	for _, r := range Rules() {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", r.Code, r.Code, r.Severity, strings.ReplaceAll(r.Title, "|", `\|`))
	}
	for _, r := range Rules() {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** Severity: %s%s.\n\n%s\n\nSource: %s.\n", r.Code, r.Title, r.Severity, onRequest(r), r.Text, r.Source)
	}
	return b.Bytes()
}

func onRequest(r Rule) string {
	if r.Optional {
		return ", *on request*"
	}
	return ""
}

// TestRulesAreWhole asks of each rule what a reader of its finding needs.
func TestRulesAreWhole(t *testing.T) {
	seen := map[string]bool{}
	for _, r := range Rules() {
		switch {
		case r.Code == "" || seen[r.Code]:
			t.Errorf("code %q comes twice, or is empty", r.Code)
		case r.Title == "" || r.Text == "" || r.Source == "":
			t.Errorf("%s: title, text or source is missing", r.Code)
		case strings.HasSuffix(r.Title, ".") || strings.HasSuffix(r.Source, "."):
			t.Errorf("%s: title and source end without a full stop", r.Code)
		case !strings.HasSuffix(r.Text, "."):
			t.Errorf("%s: the text is no sentence", r.Code)
		case ways(r) != 1:
			t.Errorf("%s: looks at things in %d ways", r.Code, ways(r))
		}
		if r2, ok := FindRule(r.Code); !ok || r2.Title != r.Title {
			t.Errorf("%s is not found by its code", r.Code)
		}
		seen[r.Code] = true
	}
}

// ways counts the ways in which a rule looks at things.
func ways(r Rule) int {
	n := 0
	for _, there := range []bool{r.Each != nil, r.All != nil, r.Program != nil} {
		if there {
			n++
		}
	}
	return n
}
