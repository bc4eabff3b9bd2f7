package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/olekukonko/tablewriter"
)

// shapes are what bigpcap makes of one kind of traffic each, at two sizes.
var shapes = []struct {
	name  string
	unit  string
	sizes [2]int64
}{
	{"one", "exchanges of a connection", [2]int64{1e4, 1e5}},
	{"short", "connections with an exchange", [2]int64{1e4, 1e5}},
	{"open", "connections that stay open", [2]int64{1e4, 1e5}},
	{"large", "bytes of a response", [2]int64{1e8, 1e9}},
}

// measureShapes measures mcptrace analyze on each shape: what its time and memory grow with, and whether time grows in
// proportion. Captures are made one after the other and removed at once.
func measureShapes(program, bigpcap string, rounds int) error {
	dir, err := os.MkdirTemp("", "mcptrace-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	t := tablewriter.NewWriter(os.Stdout)
	t.Header("shape", "n", "of", "file MB", "CPU s", "CPU per unit", "peak MB")
	for _, s := range shapes {
		var small float64 // seconds of one unit
		for _, n := range s.sizes {
			path := filepath.Join(dir, s.name+".pcap")
			c := &contender{name: s.name, args: []string{program, "analyze", path}}
			size, err := measureShape(c, bigpcap, path, n, rounds)
			if err != nil {
				return fmt.Errorf("%s, %d: %w", s.name, n, err)
			}
			cpu := median(c.cpu).Seconds()
			if small == 0 {
				small = cpu / float64(n)
			}
			t.Append(s.name, fmt.Sprint(n), s.unit, fmt.Sprintf("%.1f", float64(size)/1e6), fmt.Sprintf("%.2f", cpu),
				fmt.Sprintf("%.2f", cpu/float64(n)/small), fmt.Sprintf("%.0f", float64(c.peak)/1e6))
		}
	}
	fmt.Printf("mcptrace analyze, medians of %d; CPU per unit is that of the small size = 1\n", rounds)
	return t.Render()
}

// measureShape makes a capture for c, runs it, and removes the capture, whose size it returns.
func measureShape(c *contender, bigpcap, path string, n int64, rounds int) (int64, error) {
	cmd := exec.Command(bigpcap, "-shape", c.name, "-n", fmt.Sprint(n), "-o", path)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return 0, err
	}
	defer os.Remove(path)
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	for range rounds {
		if err := c.run(); err != nil {
			return 0, err
		}
	}
	return info.Size(), nil
}
