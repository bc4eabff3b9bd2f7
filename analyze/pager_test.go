package analyze

import (
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// fed returns an Analyzer that was given 40 calls, most of which it had to write to a file.
func fed() *Analyzer {
	a := New(Options{AtHand: 1})
	a.pager.file.wait = 1
	for _, ex := range capturetest.Exchanges(many(40, func(i int) *talk {
		return on(uint16(i+1), time.Duration(i)*time.Second).Ask(payModern(itoa(i))).Answer(jsonBody(done(itoa(i))))
	})...) {
		a.Add(ex, capture.Read(ex))
	}
	return a
}

// TestLostDetails: where the temporary file cannot be read back, the Analyzer says so, and nothing panics.
func TestLostDetails(t *testing.T) {
	a := fed()
	if a.pager.file.file == nil {
		t.Fatal("nothing was written")
	}
	a.pager.file.file.Truncate(10)
	a.Report(nil, nil)
	for c := range a.Each() {
		a.Outcomes(c)
	}
	if err := a.Err(); err == nil || !strings.Contains(err.Error(), "temporary file") {
		t.Errorf("err = %v", err)
	}
}

// TestNoTemporaryFile: where none can be written, what it should hold stays in memory.
func TestNoTemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/none")
	a := fed()
	a.Report(nil, nil)
	if err := a.Err(); err != nil || a.Totals.Delivered != 40 {
		t.Errorf("err = %v, %d delivered", err, a.Totals.Delivered)
	}
}

// TestWalkLetsGo: behind a walk only few details are in memory.
func TestWalkLetsGo(t *testing.T) {
	a := fed()
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
