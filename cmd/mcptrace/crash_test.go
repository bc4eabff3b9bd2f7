package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest/bigpcap"
	"mcptrace/store"
)

// killings is how many recorders a test kills: MCPTRACE_KILLS, or few.
func killings() int {
	if n, err := strconv.Atoi(os.Getenv("MCPTRACE_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 4
	}
	return 12
}

// exchangesIn reads a recording that may have been cut off, or only just begun.
func exchangesIn(path string) (map[int64]*capture.Exchange, error) {
	r, err := store.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	out := map[int64]*capture.Exchange{}
	for ex, err := range r.Exchanges(context.Background()) {
		if err != nil {
			return nil, err
		}
		out[ex.Seq] = ex
	}
	return out, nil
}

// copyOf copies a recording and what its writer left beside it: what a crash at this moment would leave.
func copyOf(t *testing.T, path string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy.db")
	for _, suffix := range []string{"-journal", "-wal", ""} {
		if b, err := os.ReadFile(path + suffix); err == nil {
			if err := os.WriteFile(to+suffix, b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return to
}

// sameAs fails the test where an exchange is not what it is in the whole recording.
func sameAs(t *testing.T, got, whole map[int64]*capture.Exchange) {
	t.Helper()
	for seq, ex := range got {
		w := whole[seq]
		if w == nil || ex.Start != w.Start || ex.Ending != w.Ending || ex.Stream != w.Stream || !sameMessage(&ex.Request, &w.Request) || !sameMessage(&ex.Response, &w.Response) {
			t.Errorf("exchange %d is not what it is in the whole recording: %+v, %+v", seq, ex.Ending, w)
		}
	}
}

func sameMessage(a, b *capture.Message) bool {
	return a.Complete == b.Complete && bytes.Equal(a.Wire.Bytes(0, a.Wire.Len()), b.Wire.Bytes(0, b.Wire.Len())) && fmt.Sprint(a.Chunks, a.Acks) == fmt.Sprint(b.Chunks, b.Acks)
}

// settled returns the exchanges of which nothing more can be learnt.
func settled(all map[int64]*capture.Exchange) map[int64]bool {
	acked := func(m *capture.Message) bool { return m.AckedAt(m.Wire.Len()) >= 0 }
	out := map[int64]bool{}
	for seq, ex := range all {
		if ex.Ending.Kind == capture.EndClean && ex.Request.Complete && acked(&ex.Request) && acked(&ex.Response) {
			out[seq] = true
		}
	}
	return out
}

// TestKilledWhileRecordingPackets kills record pcap at random moments. What is left opens; no exchange in it is wrong; and
// where the packets had stopped coming, every exchange that was complete is in it.
func TestKilledWhileRecordingPackets(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "whole.pcap")
	generate(t, path, bigpcap.Options{Bytes: 1e6, Seed: 7})
	packets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	record := func(b []byte) map[int64]*capture.Exchange {
		t.Helper()
		db := filepath.Join(t.TempDir(), "r.db")
		var errs bytes.Buffer
		if code := run(context.Background(), []string{"record", "pcap", "--keep-secrets", "-o", db, "-"}, bytes.NewReader(b), io.Discard, &errs); code != exitOK {
			t.Fatalf("exit code %d\n%s", code, &errs)
		}
		exs, err := exchangesIn(db)
		if err != nil {
			t.Fatal(err)
		}
		return exs
	}
	whole := record(packets)
	for i := range killings() {
		db := filepath.Join(dir, fmt.Sprintf("%d.db", i))
		cmd := exec.Command("mcptrace", "record", "pcap", "--keep-secrets", "-o", db, "-")
		in, err := cmd.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		n := 24 + rand.IntN(len(packets)-24)
		in.Write(packets[:n])
		must := map[int64]bool{}
		if i%4 == 0 {
			must = settled(record(packets[:n]))
			waitFor(t, db, len(must))
		} else {
			time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
		}
		cmd.Process.Kill()
		cmd.Wait()
		got, err := exchangesIn(db)
		if err != nil && (len(must) > 0 || begun(db)) {
			t.Fatalf("killed after %d bytes: %v", n, err)
		}
		sameAs(t, got, whole)
		for seq := range must {
			if got[seq] == nil {
				t.Errorf("killed after %d bytes: exchange %d is not there", n, seq)
			}
		}
	}
}

// begun reports whether a file is a recording already: the tables are made before anything is recorded.
func begun(path string) bool {
	b, _ := os.ReadFile(path)
	return store.IsRecording(b)
}

// waitFor waits until a recording, which is being written, would hold n exchanges after a crash.
func waitFor(t *testing.T, path string, n int) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if exs, err := exchangesIn(copyOf(t, path)); err == nil && len(exs) >= n {
			return
		}
	}
	t.Fatalf("%s: there are no %d exchanges", path, n)
}

// TestKilledProxy kills record proxy at random moments while clients call. What is left opens, and no exchange in it is
// wrong: each has the request and the answer that its client saw, or no answer.
func TestKilledProxy(t *testing.T) {
	const answer = `{"jsonrpc":"2.0","id":%s,"result":{"content":[]}}`
	upstream := upstreamOf(t, func(c *net.TCPConn, id string) bool {
		body := fmt.Sprintf(answer, id)
		fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		return true
	})
	for i := range killings() {
		db := filepath.Join(t.TempDir(), "r.db")
		addr := freePort(t)
		cmd := exec.Command("mcptrace", "record", "proxy", "-q", "--keep-secrets", "--upstream", upstream, "--listen", addr, "-o", db)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		c := dial(t, addr)
		calls := 1 + rand.IntN(200)
		for id := range calls {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"x","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}`, id)
			fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", addr, len(body), body)
			want := fmt.Sprintf(answer, fmt.Sprint(id))
			if _, err := io.ReadFull(c, make([]byte, len(fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(want), want)))); err != nil {
				t.Fatal(err)
			}
		}
		if i%4 == 0 {
			waitFor(t, db, calls)
		}
		cmd.Process.Kill()
		cmd.Wait()
		c.Close()
		got, err := exchangesIn(db)
		if err != nil && begun(db) {
			t.Fatalf("killed after %d calls: %v", calls, err)
		}
		if len(got) > calls || i%4 == 0 && len(got) != calls {
			t.Errorf("killed after %d calls: %d exchanges", calls, len(got))
		}
		for seq, ex := range got {
			r := capture.Read(ex)
			if len(r.Calls) != 1 || string(r.Calls[0].ID) != fmt.Sprint(seq) {
				t.Errorf("exchange %d: calls %+v", seq, r.Calls)
			}
			if len(r.Messages) > 1 || len(r.Messages) == 1 && string(r.Messages[0].ID) != fmt.Sprint(seq) || ex.Ending.Kind == capture.EndClean && len(r.Messages) == 0 {
				t.Errorf("exchange %d, %s: answers %+v", seq, ex.Ending.Kind, r.Messages)
			}
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// dial connects as soon as somebody listens.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if c, err := net.Dial("tcp", addr); err == nil {
			return c
		}
	}
	t.Fatalf("nobody listens on %s", addr)
	return nil
}
