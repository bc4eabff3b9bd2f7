package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
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

// usesNetwork finds the system calls that open a way to somebody else, or use it.
var usesNetwork = regexp.MustCompile(`\b(socket|connect|bind|listen|accept4?|send(to|msg|mmsg))\(.*`)

// TestNothingIsSent: no command that reads files opens a socket.
func TestNothingIsSent(t *testing.T) {
	dir := t.TempDir()
	path := capturetest.File(t, broken(40001, 0))
	trace := filepath.Join(dir, "trace")
	tracer := []string{"strace", "-f", "-qq", "-e", "trace=network", "-e", "signal=none", "-o", trace}
	if exec.Command(tracer[0], append(tracer[1:], "true")...).Run() != nil {
		t.Skip("strace cannot trace here")
	}
	db := filepath.Join(dir, "r.db")
	for _, args := range [][]string{
		{"analyze", "--policy", "all", path}, {"analyze", "--format", "json", path}, {"record", "pcap", "-o", db, path},
		{"analyze", db}, {"show", "--exchange", "1", path}, {"replay", "--sweep", path}, {"report", "-o", filepath.Join(dir, "r.html"), path},
		{"export", "--format", "har", path}, {"export", "--format", "http-csv", path}, {"redact", db, filepath.Join(dir, "redacted.db")},
		{"policies"}, {"findings"},
	} {
		program, err := exec.LookPath("mcptrace")
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(tracer[0], append(append(tracer[1:], program), args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%v: %v\n%s", args, err, out)
		}
		calls, err := os.ReadFile(trace)
		if err != nil {
			t.Fatal(err)
		}
		for _, call := range usesNetwork.FindAll(calls, -1) {
			t.Errorf("%v: %s", args, call)
		}
	}
}
