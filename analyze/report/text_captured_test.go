package report

import (
	"testing"
	"time"

	"mcptrace/analyze"
	"mcptrace/capture"
)

// TestApart: inputs between which nothing was recorded for long may not belong together; those that overlap do.
func TestApart(t *testing.T) {
	hours := func(from, to int) capture.Quality {
		at := func(h int) capture.Instant { return capture.Instant(time.Duration(h+1) * time.Hour) }
		return capture.Quality{First: at(from), Last: at(to)}
	}
	for want, qs := range map[string][]capture.Quality{
		"": {hours(0, 5), hours(1, 2), hours(5, 6), {}},
		"these inputs do not adjoin: 4 days lie between a and b; unless they belong together, give them one by one": {hours(0, 4), hours(100, 101), hours(1, 2)},
	} {
		a := &analyze.Analyzer{}
		for i, q := range qs {
			a.Inputs = append(a.Inputs, analyze.Input{Path: string(rune('a' + i)), Quality: q})
		}
		if got := apart(a); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestAmounts: what holds no packets is not counted in packets.
func TestAmounts(t *testing.T) {
	a := incident(t, 2)
	a.Inputs = []analyze.Input{{Kind: "recording"}, {Kind: "pcap", Quality: capture.Quality{Packets: 7}}, {Kind: "stdio", Quality: capture.Quality{Packets: 1}}}
	if got, want := amounts(a), "1 exchange, 7 packets, 1 line"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
