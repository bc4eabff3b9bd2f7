package analyze

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// fed returns an Analyzer that was given 40 calls and more, most of which it had to write to a file.
func fed(t *testing.T, atHand int) *Analyzer {
	a := New(Options{AtHand: atHand})
	t.Cleanup(a.Close)
	a.pager.file.wait, a.pager.file.span = 1, 1
	ks := many(40, func(i int) *talk {
		return on(uint16(i+1), time.Duration(i)*time.Second).Ask(payModern(itoa(i))).Answer(jsonBody(done(itoa(i))))
	})
	ks = append(ks, on(100, 0).Ask(payModern("1")).Answer(jsonBody(input("1", `"a"`))).Ask(withState("2", `"b"`)).Answer(jsonBody(done("2"))),
		on(101, time.Second).Ask(ask("5", "tools/call", pay, in("s")...)).Answer(sse+chunk(primed)+last).Ask(resume("7")).Answer(sse+event(done("5"))+last),
		on(102, time.Second).Ask(note("notifications/cancelled", `{"requestId":1}`)).Answer(accepted))
	for _, ex := range capturetest.Exchanges(ks...) {
		a.Add(ex, capture.Read(ex))
	}
	return a
}

// failing is a file that can be read so many times.
type failing struct {
	readerWriterAt
	good int
}

// ReadAt implements io.ReaderAt.
func (f *failing) ReadAt(p []byte, off int64) (int, error) {
	if f.good--; f.good < 0 {
		return 0, errors.New("no more")
	}
	return f.readerWriterAt.ReadAt(p, off)
}

// TestLostDetails: where the temporary file cannot be read back, at whatever moment, that is an error and no panic.
func TestLostDetails(t *testing.T) {
	report := func(a *Analyzer) (err error) {
		defer Recover(&err)
		a.Report(nil, nil)
		for c := range a.Each() {
			a.Outcomes(c)
			factsOf(c)
		}
		return nil
	}
	for _, atHand := range []int{1, 2, 5, 20} {
		for good := 0; ; good++ {
			a := fed(t, atHand)
			if a.pager.file.file == nil {
				t.Fatal("nothing was written")
			}
			f := &failing{readerWriterAt: a.pager.file.file, good: good}
			a.pager.file.file = f
			err := report(a)
			if f.good >= 0 {
				if err != nil || good == 0 {
					t.Fatalf("%d at hand, %d reads: %v", atHand, good, err)
				}
				break
			}
			if err == nil || !strings.Contains(err.Error(), "temporary file") {
				t.Errorf("%d at hand, all reads after %d fail: %v", atHand, good, err)
			}
		}
	}
}

// TestNoTemporaryFile: where none can be written, what it should hold stays in memory, and that is said.
func TestNoTemporaryFile(t *testing.T) {
	want := fed(t, 1)
	want.Report(nil, nil)
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	a := fed(t, 1)
	a.Report(nil, nil)
	if a.Totals != want.Totals {
		t.Errorf("%+v, want %+v", a.Totals, want.Totals)
	}
	if a.Unwritten() == nil || want.Unwritten() != nil {
		t.Errorf("unwritten: %v, with a file %v", a.Unwritten(), want.Unwritten())
	}
}

// TestWalkLetsGo: behind a walk only few details are in memory.
func TestWalkLetsGo(t *testing.T) {
	a := fed(t, 1)
	a.Report(nil, nil)
	for c := range a.Each() {
		c.R()
	}
	here := 0
	for _, c := range a.Cases() {
		if c.d.away == nil {
			here++
		}
	}
	if here > 1 {
		t.Errorf("%d details are in memory", here)
	}
}

// TestEmptyMethod: a request whose method is empty can be a second attempt too.
func TestEmptyMethod(t *testing.T) {
	call := func(port uint16, at time.Duration) *talk {
		return on(port, at).Ask(ask("1", "", `{}`, in("s")...))
	}
	a := judge(t, Options{}, time.Minute, call(1, 0).End(server, rst), call(2, time.Second).Answer(jsonBody(done("1"))))
	if a.Totals.Reissues != 1 {
		t.Errorf("%d re-issues", a.Totals.Reissues)
	}
}

// TestResponseHop: a client's answer to a request of the server goes through a gateway too.
func TestResponseHop(t *testing.T) {
	answer := capturetest.Post("/mcp", capturetest.Result("9", `{"roots":[]}`))
	outer := on(1, 0).Ask(payModern("1")).Wait(time.Second).Answer(jsonBody(done("1"))).Ask(answer).Wait(time.Second).Answer(accepted)
	inner := on(2, 100*time.Millisecond)
	inner.Client, inner.Server = addr("198.51.100.20:5000"), addr("203.0.113.5:9000")
	inner.Ask(payModern("7")).Wait(500 * time.Millisecond).Answer(jsonBody(done("7"))).Wait(600 * time.Millisecond).Ask(answer).Wait(300 * time.Millisecond).Answer(accepted)
	a := judge(t, Options{}, 0, outer, inner)
	hops := 0
	for _, c := range a.Cases() {
		if c.HopOf != nil {
			hops++
		}
	}
	if hops != 2 {
		t.Errorf("%d hops, want 2", hops)
	}
}
