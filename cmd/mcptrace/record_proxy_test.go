package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/source/feed"
	"mcptrace/store"
)

// syncBuffer is a buffer for a program that is running still.
type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

// runningProxy is a proxy command that runs in this process.
type runningProxy struct {
	addr     string
	out, err syncBuffer
	stop     func() int // ends it as Ctrl-C does, and returns the exit code
}

var connectTo = regexp.MustCompile(`clients connect to http://([^/\s]+)`)

// startProxy runs mcptrace record proxy until the test or stop ends it.
func startProxy(t *testing.T, args ...string) *runningProxy {
	t.Helper()
	p := &runningProxy{}
	ctx, cancel := context.WithCancel(context.Background())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, append([]string{"record", "proxy", "--listen", "127.0.0.1:0"}, args...), bytes.NewReader(nil), &p.out, &p.err)
	}()
	p.stop = sync.OnceValue(func() int { cancel(); return <-code })
	t.Cleanup(func() { p.stop() })
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if m := connectTo.FindStringSubmatch(p.err.String()); m != nil {
			p.addr = m[1]
			return p
		}
		select {
		case c := <-code:
			code <- c
			t.Fatalf("exit code %d\n%s", c, p.err.String())
		default:
		}
	}
	t.Fatalf("the proxy did not start\n%s", p.err.String())
	return nil
}

// upstreamOf serves each request with handle, which gets the call's id and returns false to end the connection.
func upstreamOf(t *testing.T, handle func(c *net.TCPConn, id string) bool) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	idOf := regexp.MustCompile(`"id":(\d+)`)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				r := bufio.NewReader(c)
				for {
					body, err := readPost(r)
					if err != nil {
						return
					}
					id := ""
					if m := idOf.FindStringSubmatch(body); m != nil {
						id = m[1]
					}
					if !handle(c.(*net.TCPConn), id) {
						return
					}
				}
			}()
		}
	}()
	return "http://" + l.Addr().String()
}

func readPost(r *bufio.Reader) (string, error) {
	n := 0
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", err
		}
		fmt.Sscanf(line, "Content-Length: %d", &n)
		if line == "\r\n" {
			break
		}
	}
	body := make([]byte, n)
	_, err := io.ReadFull(r, body)
	return string(body), err
}

// post sends a call and returns the connection.
func post(t *testing.T, addr, id string) *net.TCPConn {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.SetDeadline(time.Now().Add(10 * time.Second))
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"t` + id + `","arguments":{}}}`
	fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"+
		"MCP-Protocol-Version: 2025-06-18\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return c.(*net.TCPConn)
}

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"

func sseChunk(data string) string {
	text := "data: " + data + "\n\n"
	return fmt.Sprintf("%x\r\n%s\r\n", len(text), text)
}

func resultOf(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,"result":{"content":[]}}` }

const progressNote = `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}}`

// tellingEndings answers call 1 in order, ends call 2 after its answer with a reset and call 3 with a FIN, resets call 4
// before its answer, ends call 5 inside it, leaves call 6 to a client that closes after the answer and call 7 to one that
// closes before it.
func tellingEndings(c *net.TCPConn, id string) bool {
	io.WriteString(c, sseHead+sseChunk(progressNote))
	answer := sseChunk(resultOf(id))
	switch id {
	case "4", "7":
	case "5":
		io.WriteString(c, answer[:30])
	default:
		io.WriteString(c, answer)
	}
	switch id {
	case "1":
		io.WriteString(c, "0\r\n\r\n")
		return true
	case "6", "7":
		return true
	case "2", "4":
		time.Sleep(60 * time.Millisecond) // until the client's delayed acknowledgement is there
		c.SetLinger(0)
	}
	return false
}

// callAll makes the calls that tellingEndings answers.
func callAll(t *testing.T, addr string) {
	t.Helper()
	for id := 1; id <= 7; id++ {
		c := post(t, addr, fmt.Sprint(id))
		buf := make([]byte, 4096)
		got := ""
		for {
			n, err := c.Read(buf)
			got += string(buf[:n])
			if err != nil || id == 1 && strings.HasSuffix(got, "0\r\n\r\n") || id == 6 && strings.Contains(got, "result") || id == 7 && strings.Contains(got, "progress") {
				break
			}
		}
		c.Close()
	}
}

// TestProxyAndCaptureAgree takes a capture at the client's side while the proxy records: both must lead to the same report.
func TestProxyAndCaptureAgree(t *testing.T) {
	tcpdump, err := exec.LookPath("tcpdump")
	if err != nil {
		t.Skip("tcpdump is not installed")
	}
	dir := t.TempDir()
	db, pcap := filepath.Join(dir, "p.db"), filepath.Join(dir, "p.pcap")
	p := startProxy(t, "-o", db, "--upstream", upstreamOf(t, tellingEndings))
	_, port, _ := net.SplitHostPort(p.addr)
	dump := exec.Command(tcpdump, "-i", "lo", "-U", "-w", pcap, "--immediate-mode", "-s", "2000", "-Z", "root", "tcp port "+port)
	said, err := dump.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := dump.Start(); err != nil {
		t.Skip(err)
	}
	dumped := bufio.NewReader(said)
	first, _ := dumped.ReadString('\n')
	if !strings.Contains(first, "listening") {
		dump.Process.Kill()
		dump.Wait()
		t.Skip("tcpdump may not capture: " + first)
	}
	callAll(t, p.addr)
	size, whole := int64(0), false
	for deadline := time.Now().Add(10 * time.Second); !whole && time.Now().Before(deadline); time.Sleep(500 * time.Millisecond) {
		was := size // until the capture has the last call and no longer grows
		text, _ := os.ReadFile(pcap)
		size = int64(len(text))
		whole = size == was && bytes.Contains(text, []byte(`"t7"`))
	}
	dump.Process.Signal(os.Interrupt)
	counts, _ := io.ReadAll(dumped)
	dump.Wait()
	if !whole || !bytes.Contains(counts, []byte("\n0 packets dropped by kernel")) {
		t.Skipf("tcpdump lost packets: %s", counts)
	}
	if code := p.stop(); code != exitOK {
		t.Fatalf("exit code %d\n%s", code, p.err.String())
	}
	if !strings.Contains(p.out.String(), "7 calls: 4 answered") {
		t.Errorf("no summary at the end:\n%s", p.out.String())
	}
	fromProxy, fromPcap := facts(t, db), facts(t, pcap)
	if !reflect.DeepEqual(fromProxy, fromPcap) {
		t.Errorf("%d facts from the proxy, %d from the capture", len(fromProxy), len(fromPcap))
		for i := range min(len(fromProxy), len(fromPcap)) {
			a, _ := json.Marshal(fromProxy[i])
			b, _ := json.Marshal(fromPcap[i])
			if !bytes.Equal(a, b) {
				t.Errorf("fact %d: from the proxy %s, from the capture %s", i, a, b)
			}
		}
	}
}

// facts returns of a report what does not depend on who held the clock.
func facts(t *testing.T, input string) []any {
	t.Helper()
	var report struct {
		Exchanges []map[string]any
		Findings  []map[string]any
		Totals    map[string]any
	}
	if err := json.Unmarshal([]byte(mustInvoke(t, "analyze", "--format", "json", input).out), &report); err != nil {
		t.Fatal(err)
	}
	var out []any
	for _, e := range report.Exchanges {
		answer := e["answer"].(map[string]any)
		delete(answer, "evidence")
		if b, ok := e["break"].(map[string]any); ok {
			delete(b, "at_ns")
		}
		verdicts := map[any]any{}
		replays, _ := e["replay"].([]any)
		for _, r := range replays {
			m := r.(map[string]any)
			verdicts[m["policy"]] = m["verdict"]
		}
		out = append(out, e["id"], e["transport"], e["http"], e["call"], e["body"], answer, e["end"], e["break"], fmt.Sprint(verdicts))
	}
	for _, f := range report.Findings {
		out = append(out, f["code"], f["severity"], f["exchanges"])
	}
	for k := range report.Totals {
		if strings.HasSuffix(k, "_ns") {
			delete(report.Totals, k)
		}
	}
	return append(out, report.Totals)
}

// TestProxyRecordsWhatIsOpen looks into the recording while a stream is open: a crash at that moment would lose nothing.
func TestProxyRecordsWhatIsOpen(t *testing.T) {
	db := filepath.Join(t.TempDir(), "p.db")
	p := startProxy(t, "-o", db, "--upstream", upstreamOf(t, func(c *net.TCPConn, id string) bool {
		io.WriteString(c, sseHead+sseChunk(progressNote))
		if id == "1" {
			io.WriteString(c, sseChunk(resultOf(id))+"0\r\n\r\n")
		}
		return true
	}))
	done := post(t, p.addr, "1")
	defer done.Close()
	io.ReadFull(done, make([]byte, len(sseHead)+len(sseChunk(progressNote))+len(sseChunk(resultOf("1")))))
	open := post(t, p.addr, "2")
	defer open.Close()
	io.ReadFull(open, make([]byte, len(sseHead)))
	var ends []string
	for deadline := time.Now().Add(10 * time.Second); len(ends) < 2 && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		ends = endsOf(t, db)
	}
	if !reflect.DeepEqual(ends, []string{"clean", "open"}) {
		t.Fatalf("while recording: %v", ends)
	}
	p.stop()
	if ends = endsOf(t, db); !reflect.DeepEqual(ends, []string{"clean", "open"}) {
		t.Errorf("at the end: %v", ends)
	}
}

func endsOf(t *testing.T, path string) (ends []string) {
	t.Helper()
	r, err := store.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for ex, err := range r.Exchanges(context.Background()) {
		if err != nil {
			t.Fatal(err)
		}
		ends = append(ends, string(ex.Ending.Kind))
	}
	return ends
}

func TestProxyRotates(t *testing.T) {
	dir := t.TempDir()
	p := startProxy(t, "-o", filepath.Join(dir, "p.db"), "--rotate-age", "1ms", "--keep", "2", "--upstream",
		upstreamOf(t, func(c *net.TCPConn, id string) bool {
			io.WriteString(c, sseHead+sseChunk(resultOf(id))+"0\r\n\r\n")
			return true
		}))
	c := post(t, p.addr, "1")
	defer c.Close()
	for id := 2; ; id++ {
		io.ReadFull(c, make([]byte, len(sseHead)+len(sseChunk(resultOf(fmt.Sprint(id-1))))+5))
		if strings.Contains(p.err.String(), "removed the recording") || id > 5000 {
			break
		}
		body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ping"}`, id)
		fmt.Fprintf(c, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: 2025-06-18\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
		time.Sleep(time.Millisecond)
	}
	p.stop()
	files, _ := filepath.Glob(filepath.Join(dir, "p-*.db"))
	if len(files) != 2 {
		t.Fatalf("%d files are left, want 2: %v\n%s", len(files), files, p.err.String())
	}
	for _, f := range files {
		r, err := store.Open(f)
		if err != nil {
			t.Fatal(err)
		}
		if r.Unfinished() {
			t.Errorf("%s is not finished", f)
		}
		r.Close()
	}
}

func TestRecordingFilesExpire(t *testing.T) {
	dir := t.TempDir()
	f := &recordingFiles{base: filepath.Join(dir, "p.db"), size: 1, keep: 1}
	mine := []string{"p-20260101T000000.000Z.db", "p-20260102T000000.000Z.db", "p-20260103T000000.000Z.db"}
	for _, name := range append(mine, "p-latest.db", "q-20260101T000000.000Z.db") {
		w, err := store.Create(filepath.Join(dir, name), store.Meta{}, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.Close()
	}
	foreign := filepath.Join(dir, "p-20250101T000000.000Z.db")
	os.WriteFile(foreign, []byte("not a recording"), 0o600)
	f.made(filepath.Join(dir, mine[2]))
	gone := f.expire()
	if len(gone) != 2 || filepath.Base(gone[0]) != mine[0] || filepath.Base(gone[1]) != mine[1] {
		t.Errorf("removed %v, want the two oldest", gone)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is no recording was removed")
	}
}

func TestParseSize(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want int64
	}{{"1", 1}, {"500M", 500 << 20}, {"2GB", 2 << 30}, {"64KiB", 64 << 10}, {"1 T", 0}, {"", 0}, {"-1", 0}, {"9999999T", 0}, {"x", 0}, {"M", 0}} {
		if got, err := parseSize(tt.in); got != tt.want || (err == nil) != (tt.want != 0) {
			t.Errorf("%q: %d, %v, want %d", tt.in, got, err, tt.want)
		}
	}
}

// TestRecordingSurvivesItsFile takes the file away: the traffic's recorder says so, counts what is lost and goes on in
// another file.
func TestRecordingSurvivesItsFile(t *testing.T) {
	dir := t.TempDir()
	files := &recordingFiles{base: filepath.Join(dir, "p.db")}
	l, err := newLive(files, store.Input{Path: "http://upstream", Kind: "proxy"}, false, feed.New(0))
	if err != nil {
		t.Fatal(err)
	}
	l.fromHTTP([]string{"/mcp"})
	var said []string
	l.notify = func(s string) { said = append(said, s) }
	l.w.Close() // whatever is written from now on fails
	one := func(id string) {
		d := l.Connection(&capture.Conn{})
		s := capture.Stamp{Seen: 1, At: 1}
		body := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		d.Data(capture.Client, fmt.Appendf(nil, "POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body), s)
		d.Close(s)
	}
	one("1")
	if len(said) != 1 || !strings.Contains(said[0], "recording has stopped, traffic goes on") || l.dropped != 1 {
		t.Fatalf("said %q, dropped %d", said, l.dropped)
	}
	l.retry = time.Time{}
	l.batch()
	one("2")
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if len(files.paths) != 2 || len(said) != 2 || l.total != 1 {
		t.Fatalf("files %v, said %q, recorded %d", files.paths, said, l.total)
	}
	if r := mustInvoke(t, "analyze", "--format", "json", files.current()); !strings.Contains(r.out, "1 exchanges before this file were not recorded") {
		t.Errorf("the new file does not tell of what the old one lost:\n%s", r.out)
	}
}
