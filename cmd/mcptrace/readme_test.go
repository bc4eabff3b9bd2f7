package main

import (
	"bytes"
	"context"
	"os"
	"strings"
	"testing"
)

// The output that the README shows is what the program prints.
func TestReadmeOutput(t *testing.T) {
	const path = "../../README.md"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const marker = "<!-- output of: "
	before, rest, ok := strings.Cut(string(text), marker)
	if !ok {
		t.Fatal("the README shows no output")
	}
	command, rest, _ := strings.Cut(rest, " -->\n```text\n")
	shown, after, _ := strings.Cut(rest, "```\n")

	t.Chdir("../..")
	var out bytes.Buffer
	if code := run(context.Background(), strings.Fields(command), nil, &out, os.Stderr); code != exitOK {
		t.Fatalf("%s: exit code %d", command, code)
	}
	got, _, _ := strings.Cut(out.String(), "\nEXCHANGES")
	if got == shown {
		return
	}
	if !*update {
		t.Fatalf("%s prints\n%s\nthe README shows\n%s\n(go test ./cmd/mcptrace -update)", command, got, shown)
	}
	if err := os.WriteFile("README.md", []byte(before+marker+command+" -->\n```text\n"+got+"```\n"+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
