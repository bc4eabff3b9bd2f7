package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNextCanBePasted: the command that the first screen suggests shows the call that is named there, whatever was read.
func TestNextCanBePasted(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh")
	}
	blank := filepath.Join(t.TempDir(), "a b.pcap")
	harmless, harmful := filepath.Join(pcapDir, "break_after_answer_fin.pcap"), filepath.Join(pcapDir, "answer_then_reset.pcap")
	bytes, err := os.ReadFile(harmless)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(blank, bytes, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, input := range [][]string{{harmful}, {blank, harmful}, {harmful, blank}, {"--endpoint", "/mcp", "--max-message", "2M", blank}} {
		screen := mustInvoke(t, append([]string{"analyze"}, input...)...).out
		_, next, ok := strings.Cut(screen, "\nNEXT          mcptrace ")
		if !ok {
			t.Fatalf("%q: no command in\n%s", input, screen)
		}
		next, _, _ = strings.Cut(next, "\n")
		words, err := exec.Command(sh, "-c", `printf '%s\n' `+next).Output()
		if err != nil {
			t.Fatal(err)
		}
		shown := mustInvoke(t, strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")...).out
		if !strings.Contains(shown, "after the answer") || !strings.Contains(shown, "tools/call") {
			t.Errorf("%s\nshows\n%s", next, shown)
		}
	}
}
