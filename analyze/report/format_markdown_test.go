package report

import (
	"bufio"
	"errors"
	"strings"
	"testing"
	"time"

	"mcptrace/analyze"
)

func TestInline(t *testing.T) {
	for in, want := range map[string]string{
		"plain text 20:30:15":    "plain text 20:30:15",
		"a|b":                    `a\|b`,
		"<b>&amp;":               "&lt;b&gt;&amp;amp;",
		"`code` *bold* _it_ ~s~": "\\`code\\` \\*bold\\* \\_it\\_ \\~s\\~",
		"[a](http://x.example)":  `\[a\](http&#58;//x.example)`,
		"@someone #12 :tada:":    "&#64;someone &#35;12 &#58;tada:",
		"- item":                 `\- item`,
		"www.x.example":          "www&#46;x.example",
		"line\nline":             `line\\x0aline`,
		"$x$ \\":                 `\$x\$ \\`,
	} {
		if got := inline(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestFence(t *testing.T) {
	var b strings.Builder
	m := &markdown{out: &sticky{w: bufio.NewWriter(&b)}}
	m.code("a\n```\n````\nb\x1b")
	if err := m.out.flush(); err != nil {
		t.Fatal(err)
	}
	if want := "`````\na\n```\n````\nb\\x1b\n`````\n\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

func TestAxis(t *testing.T) {
	for _, a := range []axis{newAxis(0, 100, 0, time.Second, false), newAxis(0, 100, time.Microsecond, time.Hour, true), newAxis(100, 0, time.Millisecond, time.Millisecond, true), newAxis(0, 100, 0, 0, false), newAxis(0, 100, 0, 100*365*24*time.Hour, false)} {
		ticks := a.ticks()
		if len(ticks) == 0 || len(ticks) > 14 {
			t.Errorf("%+v: %d ticks", a, len(ticks))
		}
		for _, d := range append(ticks, -time.Hour, 0, 1, time.Hour) {
			if x := a.at(d); x < 0 || x > 100 || x != x {
				t.Errorf("%+v: %v stands at %v", a, d, x)
			}
		}
	}
}

func TestNoFormula(t *testing.T) {
	for _, s := range []string{"=1+1", "+1", "-1", "@x", "\t=1"} {
		if got := noFormula(s); got != "'"+s {
			t.Errorf("%q became %q", s, got)
		}
	}
	if got := noFormula("pay"); got != "pay" {
		t.Errorf("pay became %q", got)
	}
}

// failing fails after n bytes.
type failing struct{ n int }

var errFull = errors.New("full")

// Write implements io.Writer.
func (f *failing) Write(p []byte) (int, error) {
	if len(p) > f.n {
		n := f.n
		f.n = 0
		return n, errFull
	}
	f.n -= len(p)
	return len(p), nil
}

// TestFailingWriter: each form tells that it could not be written, wherever that happened.
func TestFailingWriter(t *testing.T) {
	for _, f := range Formats() {
		if f.Name == "jsonl" {
			continue // nothing to write without exchanges
		}
		for n := range 30 {
			a := analyze.New(analyze.Options{})
			a.Report([]analyze.Input{{Path: "x.pcap", Kind: "pcap"}}, nil)
			if err := f.Write(&failing{n * 3}, a, Options{}); !errors.Is(err, errFull) {
				t.Errorf("%s after %d bytes: %v", f.Name, n*3, err)
			}
		}
	}
}
