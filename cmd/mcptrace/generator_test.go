package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcptrace/capture/capturetest/bigpcap"
)

// TestGenerated: in a large capture with losses, disorder and unrelated traffic, exactly what was put in is found; in a
// recording of it too.
func TestGenerated(t *testing.T) {
	size := int64(20e6)
	if testing.Short() {
		size = 2e6
	}
	for seed := range uint64(2) {
		path := filepath.Join(t.TempDir(), "big.pcap")
		truth := generate(t, path, bigpcap.Options{Bytes: size, Seed: seed})
		compareTruth(t, fmt.Sprintf("seed %d", seed), truth, mustInvoke(t, "analyze", "--format", "json", path).out)
		db := filepath.Join(t.TempDir(), "big.db")
		mustInvoke(t, "record", "pcap", "-o", db, path)
		compareTruth(t, fmt.Sprintf("recording, seed %d", seed), truth, mustInvoke(t, "analyze", "--format", "json", db).out)
	}
}

func generate(t testing.TB, path string, o bigpcap.Options) bigpcap.Truth {
	t.Helper()
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	truth, err := bigpcap.Generate(f, o)
	if err != nil {
		t.Fatal(err)
	}
	return truth
}

func compareTruth(t *testing.T, name string, truth bigpcap.Truth, text string) {
	t.Helper()
	var r told
	decode(t, text, &r)
	got := bigpcap.Truth{Seed: truth.Seed, Bytes: truth.Bytes, Packets: truth.Packets, Sessions: len(r.Sessions), ReissuesBy: map[string]int{}}
	decode(t, string(r.Totals), &got.Totals)
	for i := range r.Exchanges {
		if p := r.Exchanges[i].Reissue; p != nil {
			got.ReissuesBy[p.Finding]++
		}
	}
	for _, f := range r.Findings {
		switch f.Code {
		case "stream-held-open":
			got.HeldOpen++
		case "initialize-held-open":
			got.InitHeldOpen++
		}
	}
	got.NonMCP = int(r.Quality["non_mcp_exchanges"].(float64))
	got.TLSOpaque = int(r.Quality["tls_opaque_connections"].(float64))
	got.Retransmitted = int(r.Quality["retransmitted_segments"].(float64))
	if diff := cmp.Diff(truth, got); diff != "" {
		t.Errorf("%s: truth -, found +:\n%s", name, diff)
	}
}

// BenchmarkAnalyze and BenchmarkRecord read a capture of 20 MB.
func BenchmarkAnalyze(b *testing.B) {
	path := filepath.Join(b.TempDir(), "big.pcap")
	b.SetBytes(generate(b, path, bigpcap.Options{Bytes: 20e6, Seed: 1}).Bytes)
	for b.Loop() {
		mustInvoke(b, "analyze", "--format", "json", path)
	}
}

// BenchmarkRecord: see BenchmarkAnalyze.
func BenchmarkRecord(b *testing.B) {
	dir := b.TempDir()
	path := filepath.Join(dir, "big.pcap")
	b.SetBytes(generate(b, path, bigpcap.Options{Bytes: 20e6, Seed: 1}).Bytes)
	for b.Loop() {
		db := filepath.Join(dir, "big.db")
		mustInvoke(b, "record", "pcap", "-o", db, path)
		os.Remove(db)
	}
}
