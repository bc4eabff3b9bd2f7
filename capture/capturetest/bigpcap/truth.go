package bigpcap

import "time"

// Truth is what stands in a capture. The fields of Totals are named as in the report's totals.
type Truth struct {
	Seed    uint64 `json:"seed"`
	Bytes   int64  `json:"bytes"` // of the file
	Packets int64  `json:"packets"`

	Sessions      int            `json:"sessions"`
	Totals        Totals         `json:"totals"`
	HeldOpen      int            `json:"held_open"` // calls other than initialize whose stream stayed open for more than a second after the answer
	InitHeldOpen  int            `json:"initialize_held_open"`
	ReissuesBy    map[string]int `json:"reissues_by"` // number of re-issues by finding
	NonMCP        int            `json:"non_mcp_exchanges"`
	TLSOpaque     int            `json:"tls_opaque_connections"`
	Retransmitted int            `json:"retransmitted_segments"`
}

// Totals are the counts of the report.
type Totals struct {
	Exchanges         int           `json:"exchanges"`
	Calls             int           `json:"calls"`
	Delivered         int           `json:"delivered"`
	Lost              int           `json:"lost"`
	LostExecuted      int           `json:"lost_executed"`
	Unknown           int           `json:"unknown"`
	Breaks            int           `json:"breaks"`
	BreaksByClient    int           `json:"breaks_by_client"`
	BreaksAfterAnswer int           `json:"breaks_after_answer"`
	ClientCloses      int           `json:"client_closes_after_answer"`
	Reissues          int           `json:"reissues"`
	Duplicates        int           `json:"duplicates"`
	DuplicatesLikely  int           `json:"duplicates_likely"`
	Hold              time.Duration `json:"hold_ns"`
}

// delivered counts an answer that was there for held before its stream ended.
func (t *Truth) delivered(held time.Duration, initialize bool) {
	t.Totals.Delivered++
	t.Totals.Hold += held
	if held <= time.Second {
		return
	}
	if initialize {
		t.InitHeldOpen++
	} else {
		t.HeldOpen++
	}
}

// reissued counts a second attempt.
func (t *Truth) reissued(finding, duplicate string) {
	t.Totals.Reissues++
	t.ReissuesBy[finding]++
	switch duplicate {
	case "certain":
		t.Totals.Duplicates++
	case "likely":
		t.Totals.DuplicatesLikely++
	}
}
