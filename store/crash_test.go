package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mcptrace/capture"
)

// TestMain is the victim of TestCrash where it is asked to be: it writes until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("MCPTRACE_TEST_VICTIM"); path != "" {
		victim(path, os.Getenv("MCPTRACE_TEST_LIVE") != "")
		return
	}
	os.Exit(m.Run())
}

// victim writes exchanges without end, and tells on standard output how many are committed.
func victim(path string, live bool) {
	exs, _, _ := traffic(200, 4<<10)
	w, err := Create(path, Meta{Source: "proxy"}, Options{Live: live})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for n := 0; ; n++ {
		ex := *exs[n%len(exs)]
		ex.Seq = int64(n)
		if err := w.Add(&ex); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if n%30 == 29 {
			if err := w.Flush(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			fmt.Println(n + 1)
		}
	}
}

// TestCrash kills a writer at random moments: what it had committed is there, in order, and the rest is as it was.
func TestCrash(t *testing.T) {
	rounds := 10
	if testing.Short() {
		rounds = 2
	}
	for _, live := range []bool{false, true} {
		for i := range rounds {
			t.Run(fmt.Sprintf("live=%v/%d", live, i), func(t *testing.T) { crash(t, live) })
		}
	}
}

func crash(t *testing.T, live bool) {
	path := filepath.Join(t.TempDir(), "r.db")
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MCPTRACE_TEST_VICTIM="+path)
	if live {
		cmd.Env = append(cmd.Env, "MCPTRACE_TEST_LIVE=1")
	}
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var committed int
	for range 1 + rand.IntN(20) {
		if _, err := fmt.Fscan(out, &committed); err != nil {
			t.Fatal(err)
		}
	}
	// somewhere in the transactions that follow
	time.AfterFunc(time.Duration(rand.IntN(10_000))*time.Microsecond, func() { cmd.Process.Kill() })
	for n := committed; ; committed = n {
		if _, err := fmt.Fscan(out, &n); err != nil {
			break
		}
	}
	cmd.Wait()

	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if !r.Unfinished() {
		t.Error("a recording that was cut off is not marked")
	}
	got := exchangesOf(t, r)
	if len(got) < committed {
		t.Errorf("%d exchanges, %d were committed", len(got), committed)
	}
	want, _, _ := traffic(200, 4<<10)
	for i, ex := range got {
		if ex.Seq != int64(i) || ex.Response.Wire.Len() != want[i%len(want)].Response.Wire.Len() || ex.Response.Head == nil {
			t.Fatalf("exchange %d has seq %d and %d bytes", i, ex.Seq, ex.Response.Wire.Len())
		}
	}
}

// TestReadWhileRecording opens a recording that is being written, and sees what is committed meanwhile.
func TestReadWhileRecording(t *testing.T) {
	exs, conns, _ := traffic(250, 2<<10)
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{Live: true, KeepSecrets: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	add := func(from, to int) {
		for _, ex := range exs[from:to] {
			if err := w.Add(ex); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	add(0, 50)
	r, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	sameExchanges(t, exchangesOf(t, r), exs[:50])
	add(50, 250) // on connections that the reader has not met
	sameExchanges(t, exchangesOf(t, r), exs)
	if err := w.Finish(nil, conns); err != nil {
		t.Fatal(err)
	}
	if !r.Unfinished() {
		t.Error("was done when it was opened")
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sameExchanges(t, exchangesOf(t, r), exs)
}

// TestOpenExchanges: a live recording keeps an exchange as far as it has come.
func TestOpenExchanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "r.db")
	w, err := Create(path, Meta{}, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	conn := &capture.Conn{}
	now := func(n int64, kind capture.EndKind) *capture.Exchange {
		ex := &capture.Exchange{Seq: 3, Conn: conn, Proto: "stdio", Ending: capture.Ending{Kind: kind, At: -1}}
		ex.Response.Wire.AppendZeros(n)
		ex.Response.Body = []capture.Span{{Start: 0, End: n}}
		ex.Response.Chunks = []capture.Chunk{{}}
		return ex
	}
	for i, n := range []int64{5, 100_000, 300_000} {
		if err := w.Add(now(n, capture.EndOpen)); err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	conn.Last = 9
	conn.Closings = []capture.Closing{{How: capture.FIN}}
	final := now(200_000, capture.EndClean)
	if err := w.Add(final); err != nil {
		t.Fatal(err)
	}
	if err := w.Finish(nil, []*capture.Conn{conn}); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	sameExchanges(t, readAll(t, path), []*capture.Exchange{final})
}
