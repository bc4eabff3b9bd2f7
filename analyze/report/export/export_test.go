package export

import (
	"strings"
	"testing"

	"mcptrace/capture"
	"mcptrace/capture/capturetest"
	"mcptrace/capture/wire/http1"
)

// stars is a Masker that shows what it was given to mask.
type stars struct{}

func (stars) Field(name string, value []byte) {
	if strings.EqualFold(name, "authorization") {
		copy(value, strings.Repeat("*", len(value)))
	}
}

func (stars) Target(_ string, target []byte) {
	if i := strings.IndexByte(string(target), '='); i >= 0 {
		copy(target[i+1:], strings.Repeat("*", len(target)))
	}
}

func TestTable(t *testing.T) {
	exs := capturetest.Exchanges(
		capturetest.NewTalk(40001).
			Ask(capturetest.Post("/mcp?key=abc", "12345")).Answer("HTTP/1.1 100 Continue\r\n\r\n", capturetest.JSON("{}")).
			Ask("GET /a,b HTTP/1.1\r\nHost: h\r\n\r\n").Answer(capturetest.Stream()+capturetest.Chunk("abc")).End(capture.Server, capture.FIN),
		capturetest.NewTalk(40002).Ask(capturetest.Get("/late")).End(capture.Server, capture.RST))
	for _, test := range []struct {
		options Options
		first   string
	}{{Options{}, "POST /mcp?key=abc"}, {Options{Mask: stars{}}, "POST /mcp?key=***"}} {
		table := &Table{Options: test.options}
		for i := len(exs) - 1; i >= 0; i-- { // they settle in any order
			table.Add(exs[i])
		}
		var b strings.Builder
		if err := table.Write(&b); err != nil {
			t.Fatal(err)
		}
		want := "client,server,proto,h2_stream,request,status,body_len,req_body_len,complete\n" +
			"192.0.2.10:40001,198.51.100.20:8080,h1,," + test.first + ",200,2,5,true\n" +
			"192.0.2.10:40001,198.51.100.20:8080,h1,,\"GET /a,b\",200,3,0,false\n" +
			"192.0.2.10:40002,198.51.100.20:8080,h1,,GET /late,,,0,\n"
		if b.String() != want {
			t.Errorf("got\n%swant\n%s", &b, want)
		}
	}
}

func TestValue(t *testing.T) {
	for _, test := range []struct {
		o              Options
		name, in, want string
	}{
		{Options{Mask: stars{}}, "Content-Type", "application/json", "application/json"},
		{Options{Mask: stars{}}, "Mcp-Param-Order", "ann", "***"},
		{Options{Mask: stars{}, Payload: true}, "Mcp-Param-Order", "ann", "ann"},
		{Options{Mask: stars{}, Payload: true}, "Authorization", "abc", "***"},
		{Options{Payload: true}, "Authorization", "abc", "abc"},
		{Options{}, "Authorization", "abc", "***"},
	} {
		if got := test.o.value(http1.Field{Name: test.name, Value: test.in}); got != test.want {
			t.Errorf("%+v: %s: %s became %s", test.o, test.name, test.in, got)
		}
	}
}
