package main

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"

	"strings"
	"testing"
	"time"

	"mcptrace/capture/capturetest"
)

// TestDamagedRecording: of a recording with flipped bits every command makes a result or says in one line why it cannot.
// Where the verdicts are others than those of the whole recording, a warning says that it is damaged.
func TestDamagedRecording(t *testing.T) {
	t.Chdir(t.TempDir())
	var whole string
	db := func() []byte {
		capturePath := capturetest.File(t, broken(40001, 0), broken(40002, 3*time.Second), broken(40003, 9*time.Second))
		mustInvoke(t, "record", "pcap", "-o", "whole.db", capturePath)
		whole = saidOf(t, mustInvoke(t, "analyze", "--format", "json", "whole.db").out)
		b, err := os.ReadFile("whole.db")
		if err != nil {
			t.Fatal(err)
		}
		return b
	}()
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	rng := rand.New(rand.NewPCG(1, 2))
	commands := [][]string{
		{"analyze"}, {"show", "--exchange", "2"}, {"replay", "--exchange", "2"}, {"report", "-o", "-"},
		{"export", "--format", "har"}, {"export", "--format", "jsonl"}, {"export", "--format", "http-csv"}, {"redact"},
	}
	for round := range rounds {
		b := bytes.Clone(db)
		if round%5 == 0 {
			b = b[:rng.IntN(len(b))]
		}
		for flips := 1 + rng.IntN(3); flips > 0 && len(bytes.Trim(b, "\x00")) > 0; {
			if i := rng.IntN(len(b)); b[i] != 0 { // most of a small recording is empty
				b[i] ^= 1 << rng.IntN(8)
				flips--
			}
		}
		if err := os.WriteFile("damaged.db", b, 0o600); err != nil {
			t.Fatal(err)
		}
		r := invoke("analyze", "--format", "json", "damaged.db")
		oneLineOrResult(t, round, "analyze --format json", r)
		if r.code == exitOK && r.err == "" && saidOf(t, r.out) != whole {
			t.Errorf("round %d: other verdicts, and no warning\n%s\n%s", round, saidOf(t, r.out), whole)
		}
		c := commands[round%len(commands)]
		os.Remove("redacted.db")
		args := append(slices.Clone(c), "damaged.db")
		if c[0] == "redact" {
			args = append(args, "redacted.db")
		}
		oneLineOrResult(t, round, strings.Join(c, " "), invoke(args...))
	}
}

// oneLineOrResult fails the test where a run neither did its work nor said in one line, perhaps with a hint, why not.
func oneLineOrResult(t *testing.T, round int, command string, r result) {
	t.Helper()
	said := strings.Count(r.err, "\n") - strings.Count(r.err, "mcptrace: hint: ")
	switch {
	case r.code == exitOK && said <= 3:
	case r.code == exitCannot && said == 1 && strings.HasPrefix(r.err, "mcptrace: "):
	default:
		t.Errorf("round %d, %s: exit code %d, said\n%s", round, command, r.code, r.err)
	}
}

// saidOf returns what a report says of its exchanges, without what depends on the file.
func saidOf(t *testing.T, text string) string {
	t.Helper()
	var r struct{ Exchanges, Findings, Totals, Sessions json.RawMessage }
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatal(err)
	}
	return string(r.Exchanges) + string(r.Findings) + string(r.Totals) + string(r.Sessions)
}
