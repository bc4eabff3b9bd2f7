package analyze

import (
	"strings"
	"testing"
)

// mappedArena returns an arena with facts in its file; where files cannot be mapped, the test is skipped.
func mappedArena(t *testing.T) *arena {
	r := new(arena)
	t.Cleanup(r.close)
	if r.room(); r.size == 0 {
		t.Skip("a temporary file cannot be mapped here")
	}
	return r
}

// TestArenaLost: a file that cannot be read back is an error and no crash.
func TestArenaLost(t *testing.T) {
	report := func(a *Analyzer) (err error) {
		defer Recover(&err)
		a.Report(nil, nil)
		return nil
	}
	mappedArena(t)
	a := fed(t, 1)
	if a.arena.size == 0 {
		t.Fatal("nothing is mapped")
	}
	a.arena.letGo()
	if err := a.arena.file.Truncate(0); err != nil {
		t.Fatal(err)
	}
	if err := report(a); err == nil || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("the file is gone: %v", err)
	}
}

// TestArenaFull: where the disk is full, facts are in memory.
func TestArenaFull(t *testing.T) {
	r := mappedArena(t)
	if err := r.file.Close(); err != nil {
		t.Fatal(err)
	}
	before := r.size
	for range 20000 {
		r.room().Seq++
	}
	if r.size != before {
		t.Errorf("the file grew from %d to %d", before, r.size)
	}
}
