package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"mcptrace/capture/capturetest"
	"mcptrace/capture/capturetest/bigpcap"
)

// TestFullDisk: a recording on a disk that gets full fails in one line; what was written before is good.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no disk to fill: %v", err)
	}
	defer unix.Unmount(disk, unix.MNT_DETACH)
	path := filepath.Join(t.TempDir(), "large.pcap")
	generate(t, path, bigpcap.Options{Bytes: 20e6, Seed: 3})
	whole := filepath.Join(t.TempDir(), "whole.db")
	mustInvoke(t, "record", "pcap", "--keep-secrets", "-o", whole, path)
	db := filepath.Join(disk, "r.db")
	r := invoke("record", "pcap", "--keep-secrets", "-o", db, path)
	if r.code != exitCannot || strings.Count(r.err, "\n") != 1 || !strings.Contains(r.err, "the disk is full") {
		t.Errorf("exit code %d\n%s", r.code, r.err)
	}
	got, err := exchangesIn(copyOf(t, db)) // there is no room to recover it in its place
	if err != nil {
		t.Fatal(err)
	}
	want, err := exchangesIn(whole)
	if err != nil {
		t.Fatal(err)
	}
	sameAs(t, got, want)
	fill(filepath.Join(disk, "rest"))
	if r := invoke("report", "-o", filepath.Join(disk, "r.html"), path); r.code != exitCannot || !strings.Contains(r.err, "no space left") {
		t.Errorf("report: exit code %d\n%s", r.code, r.err)
	}
	if left, _ := filepath.Glob(filepath.Join(disk, ".mcptrace-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

// fill writes a file until the disk is full.
func fill(path string) {
	f, err := os.Create(path)
	for err == nil {
		_, err = f.Write(make([]byte, 4096))
	}
	f.Close()
}

// readers are commands that read files, in a folder with the capture in.pcap.
var readers = [][]string{
	{"analyze", "--policy", "all", "in.pcap"}, {"analyze", "--format", "json", "in.pcap"}, {"record", "pcap", "-o", "r.db", "in.pcap"},
	{"analyze", "r.db"}, {"show", "--exchange", "1", "in.pcap"}, {"replay", "--sweep", "in.pcap"}, {"report", "-o", "r.html", "in.pcap"},
	{"export", "--format", "har", "in.pcap"}, {"export", "--format", "http-csv", "in.pcap"}, {"redact", "r.db", "redacted.db"},
	{"policies"}, {"findings"},
}

// TestNothingIsSent: no command that reads files opens a socket, and none misses the network where there is none.
func TestNothingIsSent(t *testing.T) {
	packets := capturetest.Pcap(broken(40001, 0))
	traced, apart := tracing(t), withoutNetwork()
	if traced == nil && apart == nil {
		t.Skip("neither strace nor a network namespace is to be had here")
	}
	if traced != nil {
		runReaders(t, packets, traced)
	}
	if apart == nil {
		return
	}
	want := runReaders(t, packets, func(cmd *exec.Cmd) func() { return func() {} })
	got := runReaders(t, packets, apart)
	for i, args := range readers {
		if got[i] != want[i] {
			t.Errorf("%v says without a network\n%s\nwith one\n%s", args, got[i], want[i])
		}
	}
}

// runReaders runs all readers in a folder of their own and returns what each said and wrote. way changes how a command is
// run, and returns what is to be done behind it.
func runReaders(t *testing.T, packets []byte, way func(*exec.Cmd) func()) (said []string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "in.pcap"), packets, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range readers {
		cmd := exec.Command("mcptrace", args...)
		cmd.Dir = dir
		done := way(cmd)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%v: %v\n%s", cmd.Args, err, out)
		}
		done()
		if args[0] == "report" {
			page, _ := os.ReadFile(filepath.Join(dir, "r.html"))
			out = append(out, page...)
		}
		said = append(said, string(out))
	}
	return said
}

// usesNetwork finds the system calls that open a way to somebody else, or use it.
var usesNetwork = regexp.MustCompile(`\b(socket|connect|bind|listen|accept4?|send(to|msg|mmsg))\(.*`)

// tracing has commands run under strace, which must show no such call; nil where it cannot.
func tracing(t *testing.T) func(*exec.Cmd) func() {
	trace := filepath.Join(t.TempDir(), "trace")
	tracer := []string{"strace", "-f", "-qq", "-e", "trace=network", "-e", "signal=none", "-o", trace}
	if exec.Command(tracer[0], append(tracer[1:], "true")...).Run() != nil {
		return nil
	}
	return func(cmd *exec.Cmd) func() {
		under := exec.Command(tracer[0], append(append(tracer[1:], cmd.Path), cmd.Args[1:]...)...)
		cmd.Path, cmd.Args = under.Path, under.Args
		return func() {
			calls, err := os.ReadFile(trace)
			if err != nil {
				t.Error(err)
			}
			for _, call := range usesNetwork.FindAll(calls, -1) {
				t.Errorf("%v: %s", cmd.Args, call)
			}
		}
	}
}

// withoutNetwork has commands run where there is no interface that is up, and no route; nil where that cannot be had.
func withoutNetwork() func(*exec.Cmd) func() {
	for _, attr := range []*syscall.SysProcAttr{
		{Cloneflags: syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET,
			UidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getuid(), HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{ContainerID: os.Getgid(), HostID: os.Getgid(), Size: 1}}},
		{Cloneflags: syscall.CLONE_NEWNET}, // users may have no namespaces of their own where root has
	} {
		try := exec.Command("true")
		try.SysProcAttr = attr
		if try.Run() == nil {
			return func(cmd *exec.Cmd) func() {
				cmd.SysProcAttr = attr
				return func() {}
			}
		}
	}
	return nil
}
