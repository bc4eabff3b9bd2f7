package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mcptrace/capture/capturetest"
)

// lockFile keeps the recording at path from everybody else until what it returns is called. Until then no file of that name
// may be opened and closed in this process: that would give up the lock.
func lockFile(t *testing.T, path, how string) (release func()) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	if _, err := db.Exec("PRAGMA busy_timeout = 5000; BEGIN " + how); err != nil {
		t.Fatal(err)
	}
	return func() { db.Close() }
}

// process is a run of the program in a process of its own.
type process struct {
	cmd       *exec.Cmd
	in        io.WriteCloser
	out, errs bytes.Buffer
}

func start(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{cmd: exec.Command("mcptrace", args...)}
	in, err := p.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.cmd.Stdout, p.cmd.Stderr = in, &p.out, &p.errs
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// end waits for the process and returns what it did. One that hangs is killed.
func (p *process) end(t *testing.T) result {
	t.Helper()
	hung := time.AfterFunc(30*time.Second, func() { p.cmd.Process.Kill() })
	p.cmd.Wait()
	if !hung.Stop() {
		t.Errorf("%v: hangs", p.cmd.Args[1:])
	}
	return result{p.cmd.ProcessState.ExitCode(), p.out.String(), p.errs.String()}
}

// recordHalf has record pcap write the first of two connections into db, and returns it with the packets of the second, which
// it waits for.
func recordHalf(t *testing.T, db string) (p *process, rest []byte) {
	t.Helper()
	first, all := capturetest.Pcap(broken(40001, 0)), capturetest.Pcap(broken(40001, 0), broken(40002, 5*time.Second))
	p = start(t, "record", "pcap", "-o", db, "-")
	p.in.Write(first)
	waitFor(t, db, 1) // the other waits for the end of its connection
	return p, all[len(first):]
}

// TestLockedRecording: who finds a recording locked, and still does when it has waited, says so in one line with a hint. A
// recorder then reads no further, and keeps what was written before.
func TestLockedRecording(t *testing.T) {
	if testing.Short() {
		t.Skip("it waits as long as a user would")
	}
	t.Parallel()
	dir := t.TempDir()
	written, whole := filepath.Join(dir, "written.db"), filepath.Join(dir, "whole.db")
	mustInvoke(t, "record", "pcap", "-o", whole, capturetest.File(t, broken(40001, 0)))
	record, rest := recordHalf(t, written)
	release := []func(){lockFile(t, written, "EXCLUSIVE"), lockFile(t, whole, "EXCLUSIVE")}
	record.in.Write(rest) // and more may come: the pipe stays open
	for path, p := range map[string]*process{written: record, whole: start(t, "analyze", whole)} {
		r := p.end(t)
		lines := strings.Split(strings.TrimSpace(r.err), "\n")
		if r.code != exitCannot || r.out != "" || len(lines) != 2 || !strings.Contains(lines[0], path+": another program is using the file") ||
			!strings.HasPrefix(lines[1], "mcptrace: hint: wait until the other program is done") {
			t.Errorf("%v: exit code %d\n%s%s", p.cmd.Args[1:], r.code, r.out, r.err)
		}
	}
	for _, f := range release {
		f()
	}
	if exs, err := exchangesIn(written); err != nil || len(exs) != 1 {
		t.Errorf("%d exchanges, %v", len(exs), err)
	}
}

// TestLockedForAMoment: where the lock goes away in time nobody notices it.
func TestLockedForAMoment(t *testing.T) {
	const moment = time.Second
	db := filepath.Join(t.TempDir(), "r.db")
	record, rest := recordHalf(t, db)
	release := lockFile(t, db, "EXCLUSIVE")
	record.in.Write(rest)
	record.in.Close()
	time.Sleep(moment)
	release()
	if r := record.end(t); r.code != exitOK || !strings.Contains(r.err, "4 exchanges recorded") {
		t.Errorf("record: exit code %d\n%s", r.code, r.err)
	}
	want := mustInvoke(t, "analyze", db).out
	release = lockFile(t, db, "EXCLUSIVE")
	read := start(t, "analyze", db)
	time.Sleep(moment)
	release()
	if r := read.end(t); r.code != exitOK || r.err != "" || r.out != want {
		t.Errorf("analyze: exit code %d\n%s%s", r.code, r.err, r.out)
	}
}

// TestLockedWhileProxying: traffic does not wait for the lock, and all of it is recorded once that is gone.
func TestLockedWhileProxying(t *testing.T) {
	const calls = 20
	db := filepath.Join(t.TempDir(), "r.db")
	addr := freePort(t)
	upstream := upstreamOf(t, func(c *net.TCPConn, id string) bool {
		io.WriteString(c, capturetest.JSON(capturetest.Text(id, "done")))
		return true
	})
	p := start(t, "record", "proxy", "--upstream", upstream, "--listen", addr, "-o", db)
	defer p.cmd.Process.Kill()
	c := dial(t, addr)
	defer c.Close()
	call := func(id string) {
		body, want := capturetest.Call(id, "tools/call", `{"name":"x"}`), capturetest.JSON(capturetest.Text(id, "done"))
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", addr, len(body), body)
		if _, err := io.ReadFull(c, make([]byte, len(want))); err != nil {
			t.Fatal(err)
		}
	}
	call("0")
	waitFor(t, db, 1)
	release := lockFile(t, db, "EXCLUSIVE")
	began := time.Now()
	for id := 1; id < calls; id++ {
		call(fmt.Sprint(id))
		time.Sleep(time.Second / calls) // past the moment at which it is written
	}
	if d := time.Since(began); d > 5*time.Second {
		t.Errorf("%d calls took %v", calls, d)
	}
	release()
	waitFor(t, db, calls)
	p.cmd.Process.Signal(os.Interrupt)
	if r := p.end(t); r.code != exitOK || strings.Contains(r.err, "recording has stopped") {
		t.Errorf("exit code %d\n%s", r.code, r.err)
	}
	if exs, err := exchangesIn(db); err != nil || len(exs) != calls {
		t.Errorf("%d exchanges, %v", len(exs), err)
	}
}
