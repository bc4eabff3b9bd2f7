package serve

import (
	"testing"
	"time"

	"mcptrace/replay"
)

// TestBrokenBeforeAnswer: what is said of a call whose response was reset 10 ms after the request.
func TestBrokenBeforeAnswer(t *testing.T) {
	begun := time.Unix(1_700_000_000, 0)
	for _, c := range []struct {
		cancelled time.Duration
		exit      Exit
		want      replay.Verdict
		did       string
	}{
		{-1, Exit{}, replay.Failed, "was there when it broke"},
		{-1, Exit{Known: true, At: begun.Add(15 * time.Millisecond)}, replay.Failed, "was there when it broke"},
		{-1, Exit{Known: true, At: begun.Add(3010 * time.Millisecond)}, replay.Failed, "was there when it broke, ended 3s later"},
		{-1, Exit{Known: true, OK: true, At: begun.Add(15 * time.Millisecond)}, replay.Guessed, "was there when it broke"},
		{20 * time.Millisecond, Exit{}, replay.Failed, "was there when it broke, cancelled after 20ms"},
		{3 * time.Second, Exit{}, replay.Hung, "was there when it broke, cancelled after 3s"},
	} {
		p := Play{call: true, recorded: &entry{}, Start: begun, Answer: -1, Left: -1, End: 10 * time.Millisecond, How: endRST.String(), cancelled: c.cancelled}
		p.settle(c.exit)
		if p.Verdict != c.want || p.Did != c.did {
			t.Errorf("cancelled %v, exit %v: got %s: %s; want %s: %s", c.cancelled, c.exit, p.Verdict, p.Did, c.want, c.did)
		}
	}
}
