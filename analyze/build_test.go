package analyze

import (
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
)

// Short names for what the scripts of the tests are made of.
const (
	client = capture.Client
	server = capture.Server
	fin    = capture.FIN
	rst    = capture.RST
	last   = capturetest.LastChunk
)

type talk = capturetest.Talk

var (
	jsonBody = capturetest.JSON
	accepted = capturetest.Accepted()
	sse      = capturetest.Stream()
)

// on returns a connection from the client's port that begins some time into the test.
func on(port uint16, after time.Duration) *talk {
	k := capturetest.NewTalk(port)
	k.Start = k.Start.Add(after)
	return k
}

// ask is a POST of a call in the older era.
func ask(id, method, params string, header ...string) string {
	return capturetest.Post("/mcp", capturetest.Call(id, method, params), header...)
}

// note is a POST of a notification.
func note(method, params string, header ...string) string {
	return capturetest.Post("/mcp", capturetest.Note(method, params), header...)
}

// pay is an unsafe call.
const pay = `{"name":"pay","arguments":{"amount":5}}`

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`

// modernHeader are the headers of a modern request.
func modernHeader(method, name string) []string {
	h := []string{"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		h = append(h, "Mcp-Name: "+name)
	}
	return h
}

// modern is a POST of a call since 2026-07-28. more are further members of params, without braces.
func modern(id, method, name, more string, header ...string) string {
	params := "{" + meta
	if name != "" {
		params += fmt.Sprintf(`,"name":%q`, name)
	}
	if more != "" {
		params += "," + more
	}
	return capturetest.Post("/mcp", capturetest.Call(id, method, params+"}"), append(modernHeader(method, name), header...)...)
}

// payModern is the unsafe call since 2026-07-28.
func payModern(id string) string {
	return modern(id, "tools/call", "pay", `"arguments":{"amount":5}`)
}

// done is a complete result.
func done(id string) string { return capturetest.Result(id, `{"resultType":"complete","content":[]}`) }

// event is data as an event in a chunk.
func event(data string) string { return capturetest.Chunk(capturetest.Event(data)) }

// chunk is text of a stream as a transfer chunk.
func chunk(text string) string { return capturetest.Chunk(text) }

// status is a response with another status and a short body of a media type.
func status(code int, mediaType, body string, header ...string) string {
	h := ""
	for _, l := range header {
		h += l + "\r\n"
	}
	return fmt.Sprintf("HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sContent-Length: %d\r\n\r\n%s", code, mediaType, h, len(body), body)
}

// open lets a client start a session of a version, whose id is s; it takes no time to speak of.
func open(k *talk, s, version string) *talk {
	h := []string{"Mcp-Session-Id: " + s}
	return k.Ask(ask("0", "initialize", `{"protocolVersion":"`+version+`","capabilities":{},"clientInfo":{"name":"c","version":"1"}}`)).
		Answer(jsonBody(capturetest.Result("0", `{"protocolVersion":"`+version+`","capabilities":{},"serverInfo":{"name":"s","version":"1"}}`), h...)).
		Ask(note("notifications/initialized", "", append(h, "MCP-Protocol-Version: "+version)...)).Answer(accepted)
}

// in are the headers of a request in session s.
func in(s string) []string {
	return []string{"Mcp-Session-Id: " + s, "MCP-Protocol-Version: 2025-11-25"}
}

// judge analyses what passed. The capture goes on until after the last packet of all. What comes of it must not depend on
// where the details of exchanges are kept.
func judge(t *testing.T, o Options, more time.Duration, talks ...*talk) *Analyzer {
	t.Helper()
	a := analyse(o, more, talks...)
	o.AtHand = 1
	paged := analyse(o, more, talks...)
	defer paged.Close()
	if a.Totals != paged.Totals || a.Logical != paged.Logical {
		t.Errorf("totals differ where details are in a file:\n%+v\n%+v", a.Totals, paged.Totals)
	}
	if x, y := sayings(a), sayings(paged); !slices.Equal(x, y) {
		t.Errorf("findings differ where details are in a file:\n%q\n%q", x, y)
	}
	for i, c := range a.Cases() {
		if x, y := factsOf(c), factsOf(paged.Cases()[i]); x != y {
			t.Errorf("an exchange differs where details are in a file:\n%s\n%s", x, y)
		}
	}
	if !reflect.DeepEqual(untied, ties{}) {
		t.Error("what exchanges without ties share was changed")
	}
	return a
}

// factsOf writes what was concluded of an exchange.
func factsOf(c *Case) string {
	s := fmt.Sprint(c.name(), c.End(), c.Hold, c.Safety(), c.Hint(), c.Fate(), c.LastPacket(), c.R().Events, c.R().MaxGap, len(c.R().Calls), len(c.R().Messages), len(c.R().Marks))
	for i := range c.Answers() {
		an := &c.Answers()[i]
		s += fmt.Sprint(" ", an.Level, an.Kind, an.At, an.End, an.Packet, an.Evidence, an.Delivered, an.Holed)
	}
	if c.HopOf != nil {
		s += fmt.Sprint(" hop of ", c.HopOf.ID)
	}
	if c.Reissue != nil {
		s += fmt.Sprint(" again ", c.Reissue.Of.ID, c.Reissue.Finding, c.Reissue.Gap)
	}
	return s
}

// sayings returns what all findings say.
func sayings(a *Analyzer) []string {
	var out []string
	for _, f := range a.Findings {
		out = append(out, fmt.Sprint(f.Code, f.Severity, f.Confidence, f.Offset, f.At, f.Message))
	}
	return out
}

func analyse(o Options, more time.Duration, talks ...*talk) *Analyzer {
	a := New(o)
	var conns []*capture.Conn
	in := Input{Path: "test", Kind: "pcap"}
	for _, ex := range capturetest.Exchanges(talks...) {
		if !slices.Contains(conns, ex.Conn) {
			ex.Conn.Input = len(conns)
			conns = append(conns, ex.Conn)
		}
		in.Quality.Last = max(in.Quality.Last, ex.Conn.Last+capture.Instant(more))
		a.Add(ex, capture.Read(ex))
	}
	a.Report([]Input{in}, conns)
	return a
}

// codes returns the codes of all findings, sorted.
func codes(a *Analyzer) []string {
	var out []string
	for _, f := range a.Findings {
		out = append(out, f.Code)
	}
	slices.Sort(out)
	return out
}

// found returns the first finding with that code.
func found(a *Analyzer, code string) (Finding, bool) {
	for _, f := range a.Findings {
		if f.Code == code {
			return f, true
		}
	}
	return Finding{}, false
}

// check is one row of a rule's table: what passed, and whether the rule has something to say about it.
type check struct {
	code  string
	name  string
	talks []*talk
	more  time.Duration // how long the capture goes on
	want  string        // "": the finding must not be there; else its severity
	says  string        // a part of its message
}

func (c check) run(t *testing.T) {
	t.Helper()
	t.Run(c.code+"/"+c.name, func(t *testing.T) {
		a := judge(t, Options{Optional: true}, c.more, c.talks...)
		f, ok := found(a, c.code)
		switch {
		case c.want == "" && ok:
			t.Errorf("unexpected: %s", f.Message)
		case c.want != "" && !ok:
			t.Errorf("missing; there are %v", codes(a))
		case c.want != "" && f.Severity.String() != c.want:
			t.Errorf("severity %s, want %s: %s", f.Severity, c.want, f.Message)
		case c.want != "" && !strings.Contains(f.Message, c.says):
			t.Errorf("%q does not say %q", f.Message, c.says)
		}
	})
}

// ruleChecks are the tables of all rules, by file.
var ruleChecks [][]check

func TestRules(t *testing.T) {
	tested := map[string][2]bool{}
	for _, table := range ruleChecks {
		for _, c := range table {
			c.run(t)
			x := tested[c.code]
			x[0], x[1] = x[0] || c.want != "", x[1] || c.want == ""
			tested[c.code] = x
		}
	}
	for _, r := range Rules() {
		if x := tested[r.Code]; (!x[0] || !x[1]) && !elsewhere[r.Code] {
			t.Errorf("%s: tested that it speaks: %v, that it is silent: %v", r.Code, x[0], x[1])
		}
	}
}

// elsewhere are the rules that need more than exchanges, tested in rules_quality_test.go.
var elsewhere = map[string]bool{}

// listen is a GET for a stream.
func listen(header ...string) string { return capturetest.Get("/mcp", header...) }

func itoa(i int) string { return strconv.Itoa(i) }

// swap replaces a part of a request, and keeps its Content-Length true.
func swap(request, old, with string) string {
	head, body, _ := strings.Cut(request, "\r\n\r\n")
	if n := strings.Count(body, old); n > 0 {
		return lengthened(head, n*(len(with)-len(old))) + "\r\n\r\n" + strings.ReplaceAll(body, old, with)
	}
	return strings.Replace(request, old, with, 1)
}

// lengthened adds n to the Content-Length of a head.
func lengthened(head string, n int) string {
	lines := strings.Split(head, "\r\n")
	for i, l := range lines {
		if v, ok := strings.CutPrefix(l, "Content-Length: "); ok {
			old, _ := strconv.Atoi(v)
			lines[i] = "Content-Length: " + itoa(old+n)
		}
	}
	return strings.Join(lines, "\r\n")
}

// plainPost is a call with just these headers.
func plainPost(header string) string {
	body := capturetest.Call("1", "tools/list", "{}")
	return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: h\r\nMcp-Session-Id: s\r\n%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", header, len(body), body)
}

// remove is the DELETE of a session.
func remove(s string) string {
	return "DELETE /mcp HTTP/1.1\r\nHost: h\r\nMCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: " + s + "\r\n\r\n"
}

// used is a client of its own whose session has done some work.
func used(i int) *talk {
	s := fmt.Sprint("s", i)
	return open(on(uint16(i+1), 0), s, "2025-11-25").Ask(list("1", s)).Answer(jsonBody(done("1")))
}

// withToken lets a session make calls with one Authorization header that are answered so.
func withToken(k *talk, codes ...int) *talk {
	for i, code := range codes {
		id := itoa(i + 1)
		k.Ask(ask(id, "tools/list", "{}", append(in("s"), "Authorization: Bearer x")...))
		if code == 200 {
			k.Answer(jsonBody(done(id)))
		} else {
			k.Answer(status(code, "text/plain", "who", "WWW-Authenticate: Bearer"))
		}
	}
	return k
}

// modernAs is a modern call whose name is carried in the header in this form.
func modernAs(id, method, name, carried string) string {
	return swap(modern(id, method, name, `"arguments":{}`), "Mcp-Name: "+name, "Mcp-Name: "+carried)
}

func addr(s string) netip.AddrPort { return netip.MustParseAddrPort(s) }

func contains(s, part string) bool { return strings.Contains(s, part) }
