// Bench measures mcptrace on one capture against a bare reading of it with gopacket, and against tshark where that is
// installed. All are run in turn, several rounds, as processes of their own; what is compared is their processor time,
// which other work on the machine disturbs less than the clock on the wall, and the largest memory they held.
//
// With -shapes it measures instead how the time and the memory of mcptrace analyze grow with captures of one kind each.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"github.com/olekukonko/tablewriter"
)

func main() {
	rounds := flag.Int("rounds", 3, "times each program is run")
	program := flag.String("mcptrace", "./mcptrace", "the binary to measure")
	only := flag.Bool("bare", false, "only read the capture with gopacket (what the others are compared with)")
	tshark := flag.Bool("tshark", true, "run tshark too, where it is installed; it takes long")
	grow := flag.Bool("shapes", false, "measure mcptrace analyze on captures of one kind each, which are made for it; no FILE.pcap then")
	maker := flag.String("bigpcap", "dist/bigpcap", "the binary that makes them")
	flag.Parse()
	if *rounds < 1 || *grow == (flag.NArg() == 1) || flag.NArg() > 1 {
		fmt.Fprintln(os.Stderr, "usage: bench [flags] FILE.pcap\n       bench -shapes [flags]")
		os.Exit(2)
	}
	var err error
	switch {
	case *grow:
		err = measureShapes(*program, *maker, *rounds)
	case *only:
		err = bare(flag.Arg(0))
	default:
		err = measure(*program, flag.Arg(0), *rounds, *tshark)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// contender is one program with the runs it made.
type contender struct {
	name   string
	args   []string
	before func() error
	cpu    []time.Duration
	wall   []time.Duration
	peak   int64 // bytes
}

func measure(program, path string, rounds int, tshark bool) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "mcptrace-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	recording := filepath.Join(dir, "recording.db")
	cs := []*contender{
		{name: "gopacket: read, decode, reassemble", args: []string{self, "-bare", path}},
		{name: "mcptrace analyze", args: []string{program, "analyze", path}},
		{name: "mcptrace analyze --format json", args: []string{program, "analyze", "--format", "json", path}},
		{name: "mcptrace record pcap", args: []string{program, "record", "pcap", "-o", recording, path}, before: func() error {
			err := os.Remove(recording)
			if errors.Is(err, os.ErrNotExist) {
				return nil
			}
			return err
		}},
		{name: "mcptrace analyze, of the recording", args: []string{program, "analyze", recording}},
	}
	if bin, err := exec.LookPath("tshark"); err == nil && tshark {
		cs = append(cs, &contender{name: "tshark -Y http -T fields", args: []string{bin, "-n", "-r", path, "-Y", "http", "-T", "fields", "-e", "frame.number", "-e", "http.request.method", "-e", "http.response.code"}})
	}
	for range rounds {
		for _, c := range cs {
			if err := c.run(); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
		}
	}
	fmt.Printf("%s: %.0f MB; medians of %d\n", filepath.Base(path), float64(info.Size())/1e6, rounds)
	return table(os.Stdout, cs, info.Size())
}

// run runs the program once.
func (c *contender) run() error {
	if c.before != nil {
		if err := c.before(); err != nil {
			return err
		}
	}
	cmd := exec.Command(c.args[0], c.args[1:]...)
	cmd.Stderr = os.Stderr
	start := time.Now()
	if err := cmd.Run(); err != nil {
		return err
	}
	c.wall = append(c.wall, time.Since(start))
	c.cpu = append(c.cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		c.peak = max(c.peak, int64(u.Maxrss)<<10) // Linux counts kilobytes
	}
	return nil
}

// table writes what was measured. The first contender is what the others are compared with.
func table(w io.Writer, cs []*contender, size int64) error {
	t := tablewriter.NewWriter(w)
	t.Header("program", "CPU s", "MB per CPU s", "rate, gopacket = 1", "wall s", "peak MB")
	base := median(cs[0].cpu)
	for _, c := range cs {
		cpu := median(c.cpu)
		t.Append(c.name, fmt.Sprintf("%.2f", cpu.Seconds()), fmt.Sprintf("%.0f", float64(size)/1e6/cpu.Seconds()),
			fmt.Sprintf("%.2f", base.Seconds()/cpu.Seconds()), fmt.Sprintf("%.2f", median(c.wall).Seconds()), fmt.Sprintf("%.0f", float64(c.peak)/1e6))
	}
	return t.Render()
}

func median(ds []time.Duration) time.Duration {
	ds = slices.Clone(ds)
	slices.Sort(ds)
	return ds[len(ds)/2]
}
