package main

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// written returns the report that mcptrace writes into a file of that name.
func written(t testing.TB, name string, input ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	mustInvoke(t, append([]string{"report", "-o", path}, input...)...)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var dataElement = regexp.MustCompile(`<data data-key="([^"]*)" value="(-?\d+)">`)

// TestReportNumbers: the numbers of the page are those of the JSON report.
func TestReportNumbers(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, input []string) {
		var r map[string]any
		decode(t, mustInvoke(t, append([]string{"analyze", "--format", "json"}, input...)...).out, &r)
		found := dataElement.FindAllStringSubmatch(written(t, "r.html", input...), -1)
		if len(found) < 15 {
			t.Fatalf("%d numbers only", len(found))
		}
		for _, m := range found {
			key := strings.ReplaceAll(m[1], "&#43;", "+")
			want, ok := lookUp(r, key)
			if !ok || m[2] != strconv.FormatInt(want, 10) {
				t.Errorf("%s: the page says %s, the JSON report %d", key, m[2], want)
			}
		}
	})
}

// lookUp finds a number of the JSON report. replay.POLICY.VERDICTS counts outcomes (with .ran behind it those of calls whose
// result was seen at least in part, with .rest the others), replay.POLICY.held_ns adds them up,
// reissues.WORD counts the second attempts that ran a call twice: each call once, on its first hop.
func lookUp(r map[string]any, key string) (int64, bool) {
	parts := strings.Split(key, ".")
	switch parts[0] {
	case "replay":
		return played(r, parts[1], parts[2:]), true
	case "reissues":
		return reissued(r, parts[1]), true
	}
	var v any = r
	for _, p := range parts {
		switch x := v.(type) {
		case map[string]any:
			v = x[p]
		case []any:
			i, err := strconv.Atoi(p)
			if err != nil || i >= len(x) {
				return 0, false
			}
			v = x[i]
		}
	}
	n, ok := v.(float64)
	return int64(n), ok
}

func reissued(r map[string]any, duplicate string) (n int64) {
	for _, x := range r["exchanges"].([]any) {
		if l, ok := x.(map[string]any)["reissue"].(map[string]any); ok && l["duplicate"] == duplicate && l["confidence"] != "low" {
			n++
		}
	}
	return n
}

func played(r map[string]any, policy string, key []string) (n int64) {
	what := key[0]
	for _, x := range r["exchanges"].([]any) {
		ex := x.(map[string]any)
		if ex["hop_of"] != nil {
			continue
		}
		for _, o := range ex["replay"].([]any) {
			out := o.(map[string]any)
			switch {
			case out["policy"] != policy:
			case what == "held_ns":
				n += int64(out["held_ns"].(float64))
			case !slices.Contains(strings.Split(what, "+"), out["verdict"].(string)):
			case len(key) == 1 || (key[1] == "ran") == resultSeen(ex):
				n++
			}
		}
	}
	return n
}

// resultSeen reports whether a result of the exchange was seen, whole or in part.
func resultSeen(ex map[string]any) bool {
	a := ex["answer"].(map[string]any)
	return a["level"] != "none" && a["kind"] == "result"
}

// TestReportNeedsNothing: a page loads nothing and runs nothing.
func TestReportNeedsNothing(t *testing.T) {
	corpus(t, func(t *testing.T, _ string, input []string) {
		page := written(t, "r.html", input...)
		for _, bad := range []string{"<script", "src=", "@import", "url(h", "url(d", "<iframe", "<form", " on"} {
			if bad == " on" {
				if m := regexp.MustCompile(`<[^>]* on[a-z]+=`).FindString(page); m != "" {
					t.Errorf("a handler: %s", m)
				}
			} else if strings.Contains(page, bad) {
				t.Errorf("the page holds %q", bad)
			}
		}
		for _, m := range regexp.MustCompile(`href="([^"]*)"`).FindAllStringSubmatch(page, -1) {
			if !strings.HasPrefix(m[1], "#") && !strings.HasPrefix(m[1], "data:") {
				t.Errorf("a link to %s", m[1])
			}
			if id := strings.TrimPrefix(m[1], "#"); id != m[1] && !strings.Contains(page, `id="`+id+`"`) {
				t.Errorf("a link to nowhere: %s", m[1])
			}
		}
	})
}

// TestFiltersSelect: the display filters of the report select in tshark just the packets that it names.
func TestFiltersSelect(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("no tshark")
	}
	numbers := regexp.MustCompile(`\d+`)
	filters := regexp.MustCompile(`(?m)^Packets ([\d, ]+)[^\n]*\n\n` + "```\n(frame.number in [^\n]*)\n")
	seen := 0
	corpus(t, func(t *testing.T, name string, input []string) {
		if len(input) > 1 || testing.Short() {
			return
		}
		tested := map[string]bool{}
		for _, m := range filters.FindAllStringSubmatch(written(t, "r.md", input...), -1) {
			if tested[m[2]] || len(tested) == 3 {
				continue
			}
			tested[m[2]] = true
			out, err := exec.Command(tshark, "-r", input[0], "-Y", m[2], "-T", "fields", "-e", "frame.number").Output()
			if err != nil {
				t.Fatalf("%s: %v", m[2], err)
			}
			if got, want := strings.Fields(string(out)), numbers.FindAllString(m[1], -1); !slices.Equal(got, want) {
				t.Errorf("%s selects %v, the claim is on %v", m[2], got, want)
			}
			seen++
		}
	})
	if seen == 0 && !testing.Short() {
		t.Error("no filter was tried")
	}
}

// TestFiltersNameTheirFile: of several files, each filter says in which it selects.
func TestFiltersNameTheirFile(t *testing.T) {
	page := written(t, "r.md", filepath.Join(pcapDir, "answer_then_reset.pcap"), filepath.Join(pcapDir, "reissue_executed.pcap"))
	all := len(regexp.MustCompile(`(?m)^Packets \d`).FindAllString(page, -1))
	if named := len(regexp.MustCompile(`(?m)^Packets [\d, ]+ of \S+\.pcap\. In Wireshark:$`).FindAllString(page, -1)); all == 0 || named != all {
		t.Errorf("%d of %d filters name their file", named, all)
	}
}

// TestCutOut: what is cut out of a capture holds the packets of the exchange, with what was asked for.
func TestCutOut(t *testing.T) {
	in := filepath.Join(pcapDir, "answer_then_reset.pcap")
	dir := t.TempDir()
	sizes := map[string]int{}
	for _, flags := range []string{"", "--include-payload", "--keep-addresses", "--include-payload --keep-addresses"} {
		path := filepath.Join(dir, "cut.pcapng")
		mustInvoke(t, append([]string{"export", "--format", "pcapng", "--exchange", "1", "-o", path, in}, strings.Fields(flags)...)...)
		cut, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		sizes[flags] = len(cut)
		if got := strings.Contains(string(cut), "jsonrpc"); got != strings.Contains(flags, "payload") {
			t.Errorf("%q: payload in it: %v", flags, got)
		}
		if !strings.Contains(string(cut), "mcptrace: ") {
			t.Errorf("%q: no comments", flags)
		}
		var r told
		decode(t, mustInvoke(t, "analyze", "--endpoint", "/mcp", "--format", "json", path).out, &r)
		if n := len(r.Exchanges); strings.Contains(flags, "payload") && n != 1 || !strings.Contains(flags, "payload") && n != 0 {
			t.Errorf("%q: %d exchanges", flags, n)
		}
	}
	if sizes[""] >= sizes["--include-payload"] {
		t.Errorf("sizes %v", sizes)
	}
}

// TestRanTwiceCSV: the table for refunds is CSV with one row a call, and no cell is a formula.
func TestRanTwiceCSV(t *testing.T) {
	call := func(id string) string {
		return capturetest.Post("/mcp", capturetest.Call(id, "tools/call", `{"name":"=HYPERLINK(\"x\"),\"|","arguments":{"order":7}}`), "Mcp-Session-Id: s", "Idempotency-Key: k1")
	}
	in := capturetest.File(t, capturetest.NewTalk(40001).
		Ask(call("1")).Answer(capturetest.Stream()+capturetest.Chunk(capturetest.Event(capturetest.Text("1", "paid")))).Wait(time.Second).End(capture.Server, capture.RST),
		later(capturetest.NewTalk(40002), 2*time.Second).
			Ask(call("2")).Answer(capturetest.JSON(capturetest.Text("2", "paid"))))
	path := filepath.Join(t.TempDir(), "twice.csv")
	mustInvoke(t, "report", "-o", filepath.Join(t.TempDir(), "r.html"), "--csv", path, in)
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	row := map[string]string{}
	for i, name := range rows[0] {
		row[name] = rows[1][i]
		if strings.IndexAny(rows[1][i]+" ", "=+-@") == 0 {
			t.Errorf("%s is a formula: %s", name, rows[1][i])
		}
	}
	if row["ran_twice"] != "certain" || row["answers"] != "the same" || row["idempotency_key_sha256_64"] == "" || row["arguments_sha256_64"] == "" {
		t.Errorf("%v", row)
	}
}

func later(k *capturetest.Talk, d time.Duration) *capturetest.Talk {
	k.Start = k.Start.Add(d)
	return k
}

// crowd is a capture of 100 sessions with 100 calls each. Every tenth call is answered and reset, and the next connection
// begins with issuing it again.
func crowd(t testing.TB) string {
	var talks []*capturetest.Talk
	for i := range 1000 {
		session, part := i/10, i%10
		k := later(capturetest.NewTalk(uint16(20000+i)), time.Duration(session)*100*time.Millisecond+time.Duration(part)*15*time.Second)
		for n := range 10 {
			id := 10*part + n
			order := id
			if n == 0 && part > 0 {
				order = id - 1 // again
			}
			k.Ask(capturetest.Post("/mcp", capturetest.Call(fmt.Sprint(id), "tools/call", fmt.Sprintf(`{"name":"pay","arguments":{"order":%d}}`, 1000*session+order)), fmt.Sprintf("Mcp-Session-Id: session-%d", session))).
				Wait(time.Millisecond).
				Answer(capturetest.Stream() + capturetest.Chunk(capturetest.Event(capturetest.Text(fmt.Sprint(id), "paid")))).
				Wait(time.Duration(n) * 200 * time.Millisecond)
			if n < 9 {
				k.Answer(capturetest.LastChunk).Wait(time.Millisecond)
			}
		}
		talks = append(talks, k.End(capture.Server, capture.RST))
	}
	return capturetest.File(t, talks...)
}

// TestReportIsBounded: ten thousand exchanges give a page of a few megabytes, which says what it leaves out.
func TestReportIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("large")
	}
	in := crowd(t)
	for _, name := range []string{"r.html", "r.md"} {
		start := time.Now()
		page := written(t, name, in)
		t.Logf("%s: %d bytes in %v", name, len(page), time.Since(start))
		if len(page) > 4<<20 {
			t.Errorf("%s has %d bytes", name, len(page))
		}
		if !strings.Contains(page, "left out") {
			t.Errorf("%s does not say what it leaves out", name)
		}
	}
}

// hostile is a capture whose texts try to be more than text.
func hostile(t testing.TB) string {
	name := "<img src=x onerror=alert(1)></script><script>alert(2)</script>|`*_[a](http://evil.example)\x1b[31m\u202egnp.exe\u200b--><!--" + strings.Repeat("A", 1<<20)
	quoted, err := json.Marshal(name)
	if err != nil {
		t.Fatal(err)
	}
	call := func(id string) string {
		return capturetest.Post("/mcp/<b>?x=\"><script>", capturetest.Call(id, "tools/call", fmt.Sprintf(`{"name":%s,"arguments":{"order":7}}`, quoted)), "User-Agent: <script>alert(3)</script>")
	}
	return capturetest.File(t,
		capturetest.NewTalk(40001).Ask(call(`"</title><script>alert(4)</script>"`)).
			Answer(capturetest.Stream()+capturetest.Chunk("event: </td><script>\n"+strings.TrimPrefix(capturetest.Event(capturetest.Text(`"</title><script>alert(4)</script>"`, "paid")), "event: message\n"))).
			Wait(time.Second).End(capture.Server, capture.RST),
		later(capturetest.NewTalk(40002), 2*time.Second).Ask(call(`"2"`)).Answer(capturetest.JSON(capturetest.Text(`"2"`, "paid"))))
}

// fences are blocks of code in Markdown, where nothing is markup.
var fences = regexp.MustCompile("(?ms)^```+$.*?^```+$")

// TestHostileText: whatever stands on the wire is text in the report.
func TestHostileText(t *testing.T) {
	in := hostile(t)
	for _, name := range []string{"r.html", "r.md"} {
		page := written(t, name, in, "--include-payload")
		if name == "r.md" {
			page = fences.ReplaceAllString(page, "")
		}
		for _, bad := range []string{"<script", "<img", "\x1b", "\u202e", "\u200b", "</b>"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s holds %q", name, bad)
			}
		}
		if len(page) > 2<<20 {
			t.Errorf("%s has %d bytes", name, len(page))
		}
	}
	out := mustInvoke(t, "show", "--exchange", "1", "--payload", in).out
	if strings.ContainsAny(out, "\x1b\u202e\u200b") || len(out) > 64<<10 {
		t.Errorf("show: %d bytes", len(out))
	}
}
