package pcap

import (
	"context"
	"encoding/csv"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Capture files of other projects, odd and damaged ones among them: no panic, no hang, and as many packets as tshark
// found.
func TestForeignFiles(t *testing.T) {
	dir := shared(t, "foreign")
	index, err := os.Open(filepath.Join(dir, "INDEX.tsv"))
	if err != nil {
		t.Skip(err)
	}
	defer index.Close()
	rows := csv.NewReader(index)
	rows.Comma, rows.LazyQuotes = '\t', true
	table, err := rows.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range table[0] {
		column[name] = i
	}
	for _, row := range table[1:] {
		name := row[column["file"]]
		t.Run(name, func(t *testing.T) {
			r := &recorder{t: t}
			q, err := Read(context.Background(), []Input{{Path: filepath.Join(dir, "captures", name)}}, r, Options{})
			var fe *FormatError
			if err != nil && !errors.As(err, &fe) {
				t.Fatal(err)
			}
			if err != nil {
				t.Log(err)
				return
			}
			r.closed()
			want, _ := strconv.ParseInt(row[column["packets"]], 10, 64)
			off := want - q[0].Packets
			if q[0].TruncatedInput && off == 1 || row[column["tcp_streams"]] == "0" && want == 0 {
				off = 0 // tshark counts a packet cut short, and nothing of link types it does not know
			}
			if off != 0 && !strings.Contains(row[column["shows"]], "custom block") {
				t.Errorf("%d packets, tshark says %d: %v", q[0].Packets, want, row[column["shows"]])
			}
			t.Logf("%d of %s streams, %+v %v", len(r.conns), row[column["tcp_streams"]], q[0], r.failures)
		})
	}
}
