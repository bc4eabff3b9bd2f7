package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestLead: what a reader sees first of each capture, in a terminal and on the page, is what a person would say of it.
func TestLead(t *testing.T) {
	const golden = "testdata/lead.txtar"
	want, err := txtar.ParseFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got := &txtar.Archive{Comment: want.Comment}
	corpus(t, func(t *testing.T, name string, input []string) {
		_, screen, _ := strings.Cut(mustInvoke(t, append([]string{"analyze"}, input...)...).out, "\n")
		screen, _, _ = strings.Cut(screen, "\nEXCHANGES")
		screen = strings.ReplaceAll(screen, pcapDir, "testdata/pcaps")
		for _, line := range strings.Split(mustInvoke(t, append([]string{"report", "-o", "-"}, input...)...).out, "\n") {
			if strings.HasPrefix(line, "**") {
				screen += "\n" + strings.Trim(line, "*") + "\n"
			}
		}
		got.Files = append(got.Files, txtar.File{Name: filepath.Base(name), Data: []byte(screen)})
	})
	if *update {
		if err := os.WriteFile(golden, txtar.Format(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(texts(want.Files), texts(got.Files)); diff != "" {
		t.Errorf("want -, got +:\n%s", diff)
	}
}
