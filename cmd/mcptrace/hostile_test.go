package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestHostileTextEverywhere: text from the wire reaches no output as something that a terminal, a browser or a spreadsheet obeys.
func TestHostileTextEverywhere(t *testing.T) {
	in := hostile(t)
	db := filepath.Join(t.TempDir(), "r.db")
	mustInvoke(t, "record", "pcap", "-o", db, in)
	for _, input := range []string{in, db} {
		for _, args := range [][]string{
			{"analyze"}, {"analyze", "--policy", "all"}, {"analyze", "--format", "json"}, {"analyze", "--format", "jsonl"},
			{"analyze", "--format", "markdown"}, {"analyze", "--format", "html"}, {"analyze", "--tool", "\x1b]0;x\a\u202e"},
			{"show", "--exchange", "1"}, {"replay"}, {"replay", "--format", "json"}, {"replay", "--exchange", "1", "--sweep"},
			{"report", "-o", "-"}, {"export", "--format", "har"}, {"export", "--format", "jsonl"}, {"export", "--format", "http-csv"},
		} {
			r := mustInvoke(t, append(args, input)...)
			if at := strings.IndexAny(r.out+r.err, "\x1b\a\u202e\u200b"); at >= 0 {
				t.Errorf("%v: %q at byte %d of what it wrote", args, (r.out + r.err)[at:][:3], at)
			}
			for i, line := range strings.Split(r.out, "\n") {
				if len(line) > 16<<10 && args[0] != "export" && !strings.Contains(args[len(args)-1], "json") && args[len(args)-1] != "html" {
					t.Errorf("%v: line %d has %d bytes", args, i+1, len(line))
				}
			}
		}
	}
}
